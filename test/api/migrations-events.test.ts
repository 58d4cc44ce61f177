import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { beforeAll, expect, test } from "vitest";
import { until } from "../operator/control-plane.ts";
import { complete, create, fail, start, untilStatus } from "./migrations-play.ts";
import { api, open, type Person, signUp, startReplica } from "./world.ts";

let ann: Person;
beforeAll(async () => {
  ann = await signUp();
});

interface Heard {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  data: any;
}

interface Reader {
  response: IncomingMessage;
  heard: Heard[];
  ended: Promise<void>;
}

/** Reads as an EventSource does. */
async function listen(id: string, options: { replica?: number; after?: string } = {}): Promise<Reader> {
  const { replica = 0, after } = options;
  const headers = { accept: "text/event-stream", ...(after === undefined ? {} : { "last-event-id": after }) };
  const response = await open(`/api/migrations/${id}/events`, { token: ann.token, replica, headers });
  const heard: Heard[] = [];
  let fields: Record<string, string> = {};
  const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => {
    if (line !== "") {
      const [, name = "", value = ""] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
      if (name !== "") fields[name] = value;
      return;
    }
    if (fields["event"] !== undefined)
      heard.push({ id: fields["id"] ?? "", event: fields["event"], data: JSON.parse(fields["data"] ?? "null") });
    fields = {};
  });
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  return { response, heard, ended };
}

const statuses = (heard: Heard[]) =>
  heard.filter(({ event }) => event === "status").map(({ data }) => data.status as string);
const messages = (heard: Heard[]) =>
  heard.filter(({ event }) => event === "log").map(({ data }) => data.message as string);

test("a run is followed from its beginning to its end, and the stream ends with it", async () => {
  const id = await create(ann);
  const reader = await listen(id);
  expect(reader.response.statusCode).toBe(200);
  expect(reader.response.headers["content-type"]).toMatch(/^text\/event-stream/);
  await until("the first status", () => statuses(reader.heard).includes("pending"));
  await start(ann, id);
  await until("in_progress", () => statuses(reader.heard).includes("in_progress"));
  await complete(ann, id, 5);
  await reader.ended;
  expect(statuses(reader.heard).at(-1)).toBe("completed");
  expect(reader.heard.at(-1)).toMatchObject({ event: "end", data: { status: "completed" } });
  const said = messages(reader.heard);
  for (let at = 0; at < 5; at += 1) expect(said.filter((message) => message === `milestone ${at}`)).toHaveLength(1);
  expect(JSON.stringify(reader.heard)).not.toMatch(/sealedUrl|source_url/);
});

test("a reader that was cut off goes on at the other replica where it was, and misses and repeats nothing", async () => {
  const id = await create(ann);
  const first = await listen(id);
  await start(ann, id);
  await until("in_progress", () => statuses(first.heard).includes("in_progress"));
  const before = [...first.heard];
  first.response.destroy();
  await complete(ann, id, 5);
  await until("the other replica to see it", async () => {
    const { body } = await api(`/api/migrations/${id}`, { token: ann.token, replica: 1 });
    return body.status === "completed";
  });
  const second = await listen(id, { replica: 1, after: before.at(-1)?.id ?? "" });
  await second.ended;
  const whole = await listen(id);
  await whole.ended;
  expect([...messages(before), ...messages(second.heard)]).toEqual(messages(whole.heard));
  expect(statuses(second.heard)).not.toContain("in_progress");

  const over = await listen(id, { after: second.heard.at(-1)?.id ?? "" });
  expect(over.response.statusCode, "so that an EventSource does not come again").toBe(204);
  over.response.resume();
  await over.ended;
});

test("the stream of a migration that is deleted ends, and says so", async () => {
  const id = await create(ann);
  const reader = await listen(id, { replica: 1 });
  await until("the first status", () => reader.heard.length > 0);
  await api(`/api/migrations/${id}`, { method: "DELETE", token: ann.token });
  await reader.ended;
  expect(reader.heard.at(-1)).toMatchObject({ event: "end", data: { status: "deleted" } });
});

test("the stream of a failed run ends, and one that is opened after a retry shows the new run", async () => {
  const id = await create(ann);
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  const reader = await listen(id);
  await reader.ended;
  expect(reader.heard.at(-1)).toMatchObject({ event: "end", data: { status: "failed" } });
  await api(`/api/migrations/${id}/retry`, { method: "POST", token: ann.token });
  const again = await listen(id, { after: reader.heard.at(-1)?.id ?? "" });
  await until("pending", () => statuses(again.heard).includes("pending"));
  again.response.destroy();
});

test("the stream of a token that is revoked ends", async () => {
  const id = await create(ann);
  const minted = await api("/api/tokens", { token: ann.token, body: { name: "short" } });
  const response = await open(`/api/migrations/${id}/events`, { token: String(minted.body.token) });
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  response.resume();
  const revoked = await api(`/api/tokens/${minted.body.id}`, { method: "DELETE", token: ann.token });
  expect(revoked, revoked.text).toMatchObject({ status: 200 });
  await ended;
});

test("a stream ends when its reader's acting team is another one, whose migration it is not", async () => {
  const person = await signUp();
  const id = await create(person);
  const response = await open(`/api/migrations/${id}/events`, { token: person.token });
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  response.resume();
  const made = await api("/api/teams", { token: person.token, body: { name: "Other" } });
  expect(made.status, made.text).toBe(201);
  const switched = await api(`/api/teams/${made.body.team.id}/switch`, { method: "POST", token: person.token });
  expect(switched.status, switched.text).toBe(200);
  await ended;
  expect((await api(`/api/migrations/${id}/events`, { token: person.token })).status).toBe(403);
});

test("an account has so many streams open at most, and another when one of them has ended", async () => {
  const replica = await startReplica({ ROWFERRY_MOST_STREAMS: "2" });
  const id = await create(ann);
  const path = `/api/migrations/${id}/events`;
  const first = await replica.caller.open(path, { token: ann.token });
  const second = await replica.caller.open(path, { token: ann.token });
  expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
  const refused = await replica.caller.ask(path, { token: ann.token });
  expect(refused).toMatchObject({ status: 409, body: { code: "limit_reached" } });
  first.destroy();
  await until("room for another", async () => {
    const again = await replica.caller.open(path, { token: ann.token });
    again.destroy();
    return again.statusCode === 200;
  });
  second.destroy();
  await replica.stop();
});
