import { afterEach, beforeAll, expect, test } from "vitest";
import { type Person, signUp } from "../api/world.ts";
import { until } from "../operator/control-plane.ts";
import { connectMcp } from "./client.ts";
import type { McpClient, Said } from "./connect.ts";

/** What is agreed to is what is done, also where many act at once. */

let ann: Person;
let mcp: McpClient;
beforeAll(async () => {
  ann = await signUp();
  mcp = await connectMcp(ann.token, "/mcp-migrations");
  return () => mcp.client.close();
});

const made: string[] = [];
/** Five of a team have a run at the same time. */
afterEach(async () => {
  for (const id of made.splice(0)) await mcp.call("delete-migration-tool", { id, confirm: true });
});

/** One whose run waits for a node, where it rests. */
async function waiting(): Promise<string> {
  const { data, text } = await until("the team to be ready", async () => {
    const said = await mcp.call("prepare-migration-tool", {
      source_url: "mysql://reader:word@127.0.0.1:9/shop",
      target_url: "postgres://writer:word@127.0.0.1:9/shop",
    });
    return !said.isError && said;
  });
  expect(data, text).toBeDefined();
  const { id } = data.migration;
  made.push(id);
  await until("its run", async () => {
    const { data: effect } = await mcp.call("reset-migration-tool", { id });
    return effect.preview.stops_run === true;
  });
  return id;
}

const agreedTo = async (tool: string, id: string) => {
  const { data } = await mcp.call(tool, { id });
  return { id, confirm: true, digest: data.preview.digest };
};
const outcome = ({ text, data, isError }: Said): string =>
  isError ? (data === undefined ? (/^\w+/.exec(text)?.[0] ?? "") : "refused") : data.done ? "done" : "preview";

test("of many who agreed to the same reset one acts, and the others are shown the effect as it is by then", async () => {
  const id = await waiting();
  const agreed = await agreedTo("reset-migration-tool", id);
  const said = await Promise.all(Array.from({ length: 6 }, () => mcp.call("reset-migration-tool", agreed)));
  expect(said.map(outcome).sort()).toEqual(["done", ...Array(5).fill("refused")]);
  for (const one of said.filter(({ isError }) => isError)) {
    expect(one.text).toContain("state_conflict: Not done: the migration's state has changed");
    expect(one.data.preview.digest).not.toBe(agreed.digest);
  }
});

test("of a reset and a delete that were agreed to at the same state, one is done", async () => {
  for (let round = 0; round < 4; round += 1) {
    const id = await waiting();
    const [again, gone] = [await agreedTo("reset-migration-tool", id), await agreedTo("delete-migration-tool", id)];
    const said = await Promise.all([mcp.call("reset-migration-tool", again), mcp.call("delete-migration-tool", gone)]);
    const [reset, removed] = said.map(outcome);
    expect([
      ["done", "refused"],
      ["not_found", "done"],
    ]).toContainEqual([reset, removed]);
  }
});

test("a delete that was agreed to is refused once the migration was reset", async () => {
  const id = await waiting();
  const gone = await agreedTo("delete-migration-tool", id);
  expect(outcome(await mcp.call("reset-migration-tool", { id, confirm: true }))).toBe("done");
  const refused = await mcp.call("delete-migration-tool", gone);
  expect(outcome(refused)).toBe("refused");
  expect(outcome(await mcp.call("delete-migration-tool", { ...gone, digest: refused.data.preview.digest }))).toBe(
    "done",
  );
});

test("a preview of a reset or a delete speaks of what would happen, not of what happened", async () => {
  const id = await waiting();
  const [again, gone] = [
    await mcp.call("reset-migration-tool", { id }),
    await mcp.call("delete-migration-tool", { id }),
  ];
  expect(again.text).toContain("would be dropped");
  expect(gone.text).toContain("would be deleted");
  for (const { text } of [again, gone]) {
    expect(text).toContain("Nothing was done.");
    expect(text).not.toMatch(
      /\b(is|are|was|were) (being )?(deleted|dropped|removed|gone)\b|cannot be brought back|^Dropped/m,
    );
  }
});
