import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { examples, languages, runExample } from "./examples.ts";
import { complete, create, fail, pair } from "./migrations-play.ts";
import { admin, api, newEmail, type Person, provided, signUp, startReplica } from "./world.ts";

/** The examples of docs/, taken from the pages and run as they stand there, each in curl, TypeScript and Python. */

const run = (program: string, name: string, env: Record<string, string>, ends = 0): Promise<string> =>
  runExample(program, name, provided, env, ends);

test("the pages' examples are those that are run here, each in all three languages", () => {
  const pages = {
    copy: "quick-start.md",
    list: "rest.md",
    follow: "rest.md",
    fix: "errors.md",
    wait: "limits.md",
    lend: "authentication.md",
    reach: "url-security.md",
    preflight: "privileges.md",
    options: "objects.md",
    report: "report.md",
  };
  const expected = Object.entries(pages).flatMap(([name, page]) =>
    languages.map(([, , ending]) => [`${name}.${ending}`, page]),
  );
  expect(Object.fromEntries([...examples].map(([name, { page }]) => [name, page]))).toEqual({
    "token.sh": "quick-start.md",
    "retry.sh": "quick-start.md",
    ...Object.fromEntries(expected),
  });
});

test("the token that the quick start's calls make is one", async () => {
  const email = newEmail();
  const said = await run("bash", "token.sh", { EMAIL: email, PASSWORD: "correct horse battery" });
  const [token] = /[1-9]\d{14}\|rfy_\w{49}/.exec(said) ?? [];
  expect(await api("/api/account", { token: token ?? "" })).toMatchObject({ status: 200, body: { email } });
});

test("the quick start's retry queues a failed migration again, with new URLs", async () => {
  const person = await signUp();
  const id = await create(person);
  await fail(person, id);
  const said = await run("bash", "retry.sh", { ROWFERRY_TOKEN: person.token, MIGRATION: id, ...urls });
  expect(JSON.parse(said)).toMatchObject({ migration: { id, status: "pending" } });
});

const urls = { SOURCE_URL: pair.source_url, TARGET_URL: pair.target_url };
const created = async ({ namespace }: Person) => (await admin.list(kinds.migrations, { namespace }))[0]?.metadata.name;
const linesOf = (text: string): string[] => text.trim().split("\n");

describe.each(languages)("%s", (_, program, ending) => {
  const ran = (name: string, person: Person, env: Record<string, string> = {}, ends = 0) =>
    run(program, `${name}.${ending}`, { ROWFERRY_TOKEN: person.token, ...env }, ends);

  test("creates a migration and polls it to its end", async () => {
    const person = await signUp();
    const running = ran("copy", person, urls);
    const ended = running.catch(() => "");
    const id = await Promise.race([until("the migration to be there", () => created(person)), ended.then(() => "")]);
    if (id !== "") await complete(person, id, 3);
    expect(JSON.parse(await running)).toMatchObject({ id, status: "completed" });
  });

  test("ends with 1 for a migration that fails, and prints its error", async () => {
    const person = await signUp();
    const running = ran("copy", person, urls, 1);
    const ended = running.catch(() => "");
    const id = await Promise.race([until("the migration to be there", () => created(person)), ended.then(() => "")]);
    if (id !== "") await fail(person, id);
    expect(JSON.parse(await running)).toMatchObject({ id, status: "failed", error: { code: expect.any(String) } });
  });

  test("ends with another code than 0 for a call that is refused, and prints why", async () => {
    const person = await signUp();
    expect(await ran("copy", { ...person, token: "x" }, urls, 1)).toContain("unauthenticated");
  });

  test("goes through every page of a list", async () => {
    const person = await signUp();
    expect((await ran("list", person)).trim()).toBe("");
    const ids: string[] = [];
    for (let count = 0; count < 11; count += 1) ids.push(await create(person));
    expect(linesOf(await ran("list", person)).toSorted()).toEqual(ids.toSorted());
  });

  test("follows a migration to its end, and reads its report", async () => {
    const person = await signUp();
    const id = await create(person);
    const following = ran("follow", person, { MIGRATION: id });
    await Promise.all([complete(person, id, 3), following.catch(() => "")]);
    const events = linesOf(await following).map((line) => {
      const at = line.indexOf(" ");
      return [line.slice(0, at), JSON.parse(line.slice(at + 1))];
    });
    expect(new Set(events.map(([event]) => event))).toEqual(new Set(["status", "log", "end"]));
    expect(events.at(-1)).toEqual(["end", expect.objectContaining({ status: "completed" })]);
    expect((await ran("report", person, { MIGRATION: id })).trim()).toBe("1 converted");
  });

  test("tells what fixes a request", async () => {
    const said = linesOf(await ran("fix", await signUp(), urls));
    expect(said).toEqual(["422 invalid", "target_url is required (string)"]);
  });

  test("waits where the limit is reached, and then passes", async () => {
    const person = await signUp();
    const limits = JSON.stringify({ read: [{ points: 1, seconds: 2 }] });
    const { port, stop } = await startReplica({ ROWFERRY_LIMITS: limits });
    const said = await ran("wait", person, { ROWFERRY_URL: `https://localhost:${port}` });
    expect(linesOf(said)).toEqual(["1 200", "2 200", "3 200"]);
    await stop();
  });

  test("makes a token, uses it and revokes it", async () => {
    const person = await signUp();
    const [account, revoked] = linesOf(await ran("lend", person)).map((line) => JSON.parse(line));
    expect(account).toMatchObject({ email: person.email });
    expect(revoked).toMatchObject({ message: expect.any(String), token: { name: "nightly" } });
    const { body } = await api("/api/tokens", { token: person.token });
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["test"]);
  });

  test("creates with options", async () => {
    const person = await signUp();
    const { migration } = JSON.parse(await ran("options", person, urls));
    expect((await api(`/api/migrations/${migration.id}`, { token: person.token })).body.options).toMatchObject({
      exclude: ["*_log"],
      verify: "checksum",
      types: { "orders.total": "numeric(20,4)" },
    });
  });

  describe("with databases", () => {
    let databases: Database[] = [];
    beforeAll(async () => {
      databases = await Promise.all([startDatabase("mysql"), startDatabase("postgres")]);
    });
    afterAll(() => Promise.all(databases.map((database) => database.stop())));

    test("tells whether one is reached, and whether a copy could begin", async () => {
      const person = await signUp();
      const [source, target] = databases.map(({ url }) => url);
      const real = { SOURCE_URL: source ?? "", TARGET_URL: target ?? "" };
      expect(await ran("reach", person, real)).toContain("MySQL");
      expect(await ran("reach", person, { SOURCE_URL: "mysql://a:b@127.0.0.1:1/c" })).toContain("connection_refused");
      expect(await ran("preflight", person, real)).toMatch(/^ready$|"ready":true/m);
    });
  });
});
