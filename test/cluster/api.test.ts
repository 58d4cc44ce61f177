import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { enter, openRest, type Person, type Rest } from "../../dev/demo/rest.ts";
import { memoryInCore } from "../core-files.ts";
import { connectTo } from "../mcp/connect.ts";
import { mysqlStatements } from "../samples/index.ts";
import { get, type Json, kubectl, until } from "./kube.ts";
import { podProcesses } from "./pods.ts";
import { makeWorld, password, secretUrl, type World, withMysql, withPostgres } from "./world.ts";

/** The whole path by REST: the API, the prober, the operator and a worker as pods, and a sample database. */

let world: World;
let rest: Rest;
let person: Person;

beforeAll(async () => {
  world = await makeWorld("by-rest", { mysql: "mysql", postgres: "postgres" });
  await withMysql(world.databases["mysql"]?.host ?? "", async (connection) => {
    for (const statement of mysqlStatements("rental")) await connection.query(statement);
  });
  const { api } = inject("cluster");
  // Of the MCP clients, which call by fetch.
  setDefaultCACertificates([...getCACertificates(), api.ca]);
  rest = openRest(api);
  person = await enter(rest, "by-rest@example.com", "correct horse battery staple");
});
afterAll(async () => {
  rest?.close();
  await world?.end();
  if (person) await kubectl(["delete", "team", person.team, "--wait=false"]);
});

const pair = (database: string) => ({
  source_url: world.databases["mysql"]?.pod,
  target_url: secretUrl(world.databases["postgres"]?.pod ?? "", database),
});
const connectMcp = (token: string) => connectTo(new URL("/mcp-migrations", inject("cluster").api.baseUrl), token);
/** Milliseconds beside what it answered. */
async function timed<T>(run: () => Promise<T>): Promise<[T, number]> {
  const from = performance.now();
  return [await run(), Math.round(performance.now() - from)];
}

test("preflight, create, poll, logs, report: a sample database is copied by REST, and no sink shows the password", async () => {
  const { token } = person;
  const url = await world.emptyTarget("postgres", "films-by-rest");
  const body = pair("films-by-rest");
  const [checked, preflightMs] = await timed(() => rest.call("POST", "/api/migrations/preflight", { token, body }));
  expect(checked, JSON.stringify(checked.body)).toMatchObject({
    status: 200,
    body: { ready: true, type: "conversion" },
  });
  const begun = performance.now();
  const made = await rest.call("POST", "/api/migrations", {
    token,
    body: { ...body, estimate_id: checked.body.estimate_id, options: { verify: "checksum" } },
  });
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { covered_by_plan: true } });
  const path = `/api/migrations/${made.body.migration.id}`;
  const states: string[] = [];
  const statuses = new Set<number>();
  const ended = await until("the migration to end", async () => {
    const one = await rest.call("GET", path, { token });
    statuses.add(one.status);
    if (states.at(-1) !== one.body.status) states.push(one.body.status);
    return ["completed", "failed"].includes(one.body.status) && one;
  });
  expect([...statuses]).toEqual([200]);
  console.log(
    `film rental: preflight ${preflightMs} ms, completed ${Math.round(performance.now() - begun)} ms after POST`,
  );
  expect(ended.body, JSON.stringify(ended.body)).toMatchObject({ status: "completed", type: "conversion", cost: 0 });
  expect(states.filter((state, at) => states.indexOf(state) === at)).toEqual(states);
  const { rows } = await withPostgres(url, (client) => client.query("SELECT count(*)::int AS n FROM film"));
  expect(rows).toEqual([{ n: 600 }]);

  const logs = await rest.call("GET", `${path}/logs`, { token });
  expect(logs.body.data.length).toBeGreaterThan(3);
  const report = await rest.call("GET", `${path}/report`, { token });
  expect(JSON.stringify(report.body)).toContain("film");

  const { system } = inject("cluster");
  const namespace = person.namespace;
  const sinks = [
    JSON.stringify([checked, made, ended, logs, report]),
    await kubectl(["get", "migrations,jobs,pods,configmaps,events", "-n", namespace, "-o", "json"]),
    ...(await Promise.all(
      ["api", "prober", "operator"].map((name) =>
        kubectl(["logs", "-n", system, `deployment/rowferry-${name}`, "--all-containers", "--tail=-1"]),
      ),
    )),
    await kubectl(["get", "pods,deployments,configmaps", "-n", system, "-o", "json"]),
  ];
  for (const sink of sinks)
    for (const form of [
      password,
      encodeURIComponent(password),
      Buffer.from(password).toString("base64").replace(/=+$/, ""),
      Buffer.from(password).toString("hex"),
    ])
      expect(sink).not.toContain(form);
});

test("an agent by MCP: preview, prepare, get until it is completed, a reset that is previewed and confirmed, another team's id, delete", async () => {
  const [mcp, other] = await Promise.all([
    connectMcp(person.token),
    enter(rest, "other-by-mcp@example.com", "correct horse battery staple"),
  ]);
  const url = await world.emptyTarget("postgres", "films-by-mcp");
  const films = async () =>
    (await withPostgres(url, (client) => client.query("SELECT count(*)::int AS n FROM film"))).rows;
  const checked = await mcp.call("preview-migration-tool", pair("films-by-mcp"));
  expect(checked.data, checked.text).toMatchObject({ ready: true, type: "conversion", covered_by_plan: true });
  const prepared = await mcp.call("prepare-migration-tool", {
    ...pair("films-by-mcp"),
    estimate_id: checked.data.estimate_id,
  });
  expect(prepared.isError, prepared.text).toBe(false);
  const { id } = prepared.data.migration;
  // Of the ten calls of a minute as few as may be: what is waited for is asked by REST.
  const ended = async () => {
    await until("the migration to end", async () => {
      const { body } = await rest.call("GET", `/api/migrations/${id}`, { token: person.token });
      return ["completed", "failed"].includes(body.status);
    });
    return mcp.call("get-migration-tool", { id });
  };
  expect((await ended()).data).toMatchObject({ id, status: "completed", poll_after_seconds: null });
  expect(await films()).toEqual([{ n: 600 }]);

  const effect = await mcp.call("reset-migration-tool", { id });
  expect(effect.data, effect.text).toMatchObject({ done: false });
  const { digest } = effect.data.preview;
  const reset = await mcp.call("reset-migration-tool", { id, confirm: true, digest });
  expect(reset.data, reset.text).toMatchObject({ done: true });
  expect((await ended()).data).toMatchObject({ status: "completed" });
  expect(await films()).toEqual([{ n: 600 }]);

  const stranger = await connectMcp(other.token);
  const foreign = await stranger.call("get-migration-tool", { id });
  expect(foreign).toMatchObject({ isError: true, text: expect.stringContaining("other_team: ") });
  const gone = await mcp.call("delete-migration-tool", { id });
  const deleted = await mcp.call("delete-migration-tool", { id, confirm: true, digest: gone.data.preview.digest });
  expect(deleted.data, deleted.text).toMatchObject({ done: true });
  expect(await films()).toEqual([{ n: 600 }]);
  for (const said of [checked, prepared, effect, reset, foreign, gone, deleted])
    expect(JSON.stringify(said)).not.toContain(password);
  await Promise.all([mcp.client.close(), stranger.client.close()]);
  await kubectl(["delete", "team", other.team, "--wait=false"]);
});

test("an agent by MCP: one that failed is told why, fixed, retried and completed; and who calls too often is told to wait", async () => {
  const agent = await enter(rest, "retry-by-mcp@example.com", "correct horse battery staple");
  const mcp = await connectMcp(agent.token);
  const url = await world.emptyTarget("postgres", "films-retried");
  await withPostgres(url, (client) => client.query("CREATE TABLE film (id int); INSERT INTO film VALUES (1)"));
  const prepared = await mcp.call("prepare-migration-tool", pair("films-retried"));
  expect(prepared.isError, prepared.text).toBe(false);
  const { id } = prepared.data.migration;
  const untilIt = (state: string) =>
    until(`the migration to be ${state}`, async () => {
      const { body } = await rest.call("GET", `/api/migrations/${id}`, { token: agent.token });
      return body.status === state;
    });
  await untilIt("failed");
  const failed = await mcp.call("get-migration-tool", { id });
  expect(failed.data, failed.text).toMatchObject({ status: "failed", error_code: "target_not_empty" });
  expect(failed.data.untrusted).toContain("film");
  expect(failed.data.next).toContain("retry-migration-tool");
  await withPostgres(url, (client) => client.query("DROP TABLE film"));
  const again = await mcp.call("retry-migration-tool", { id });
  expect(again.isError, again.text).toBe(false);
  await untilIt("completed");
  expect((await mcp.call("get-migration-tool", { id })).data).toMatchObject({ status: "completed", attempt: 2 });

  const tooMany = async () => {
    // Also where a minute ends in between.
    for (let calls = 0; calls <= 20; calls += 1) await mcp.call("get-migration-tool", { id });
  };
  await expect(tooMany()).rejects.toThrow(/retry in \d+ seconds?/);
  await mcp.client.close();
  await kubectl(["delete", "team", agent.team, "--wait=false"]);
});

test("no process of the installation would leave its memory in a core file", async () => {
  const { items } = await get("pods", inject("cluster").system, "-l", "app.kubernetes.io/name=rowferry");
  const processes = items.flatMap((pod: Json) => podProcesses(pod.metadata.uid));
  expect(processes.length).toBeGreaterThanOrEqual(items.length);
  expect(processes.map(memoryInCore).filter((memory: number) => memory !== 0)).toEqual([]);
});

test("an administrator makes an account by kubectl exec with a password from stdin, and gives it another", async () => {
  const { system } = inject("cluster");
  const email = `made-by-kubectl@example.com`;
  const [first, second] = ["correct horse battery staple", "wrong horse battery staple"];
  // As docs/authentication.md says.
  const exec = (verb: string, given: string) =>
    kubectl(["exec", "-i", "-n", system, "deploy/rowferry-api", "--", "node", "api.js", verb, email], `${given}\n`);
  const signIn = async (given: string) =>
    (await rest.call("POST", "/api/session", { body: { email, password: given } })).status;
  const made = await exec("create-account", first);
  expect(made).toMatch(/^account a[0-9a-f]{40} is made; its team is t[0-9a-f]{20}\n$/);
  expect(await signIn(first)).toBe(200);
  await expect(exec("create-account", second)).rejects.toThrow("There is an account with this e-mail address");
  expect(await exec("set-password", second)).toContain("the new password holds");
  expect([await signIn(first), await signIn(second)]).toEqual([401, 200]);
  const { token, team } = await enter(rest, email, second);
  expect(made).toContain(team);
  expect((await rest.call("GET", "/api/migrations", { token })).body.data).toEqual([]);
  await kubectl(["delete", "team", team, "--wait=false"]);
});

test("a URL that leads into the cluster is refused before anything is made", async () => {
  const { token } = person;
  const { spec } = await get("service", inject("cluster").system, "rowferry-operator");
  const before = await rest.call("GET", "/api/migrations", { token });
  for (const host of ["169.254.169.254", "127.0.0.1", "[::1]", "10.96.0.10"]) {
    const body = { ...pair("films-by-rest"), source_url: `mysql://a:b@${host}:3306/shop` };
    const made = await rest.call("POST", "/api/migrations", { token, body });
    expect(made, host).toMatchObject({ status: 422, body: { code: "url_refused" } });
  }
  expect(spec.clusterIP).toBeDefined();
  const after = await rest.call("GET", "/api/migrations", { token });
  expect(after.body.data).toEqual(before.body.data);
});

test("what kubectl applies in a team's namespace is listed, and shown to nobody else", async () => {
  const { token, namespace } = person;
  const migration = {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: { name: "by-hand", namespace },
    spec: { source: { secretRef: { name: "nothing" } }, target: { secretRef: { name: "nowhere" } } },
  };
  await kubectl(["apply", "-f", "-"], migration);
  const { metadata } = await get("migration", namespace, "by-hand");
  const listed = await until("the list to show it", async () => {
    const { body } = await rest.call("GET", "/api/migrations", { token });
    return body.data.find(({ id }: { id: string }) => id === metadata.uid);
  });
  expect(listed).toMatchObject({ name: "by-hand" });
  const other = await enter(rest, "by-rest-other@example.com", "correct horse battery staple");
  const answer = await rest.call("GET", `/api/migrations/${metadata.uid}`, { token: other.token });
  expect(answer).toMatchObject({ status: 403, body: { code: "other_team" } });
  await kubectl(["delete", "migration", "by-hand", "-n", namespace]);
  await kubectl(["delete", "team", other.team, "--wait=false"]);
});
