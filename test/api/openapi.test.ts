import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { complete, pair, untilStatus } from "./migrations-play.ts";
import { execute, openApiTools } from "./tools.ts";
import { api, provided, signUp } from "./world.ts";

/** The API's description as public programs read it: a linter, and a maker of clients whose client then does the work. */

let tools: string;
let folder: string;
beforeAll(async () => {
  tools = await openApiTools();
  folder = await mkdtemp(join(provided.folder, "openapi-"));
  const { text } = await api("/openapi.json");
  // A server on localhost, as only a test has it, is a finding of the linter's.
  await writeFile(join(folder, "openapi.json"), text.replaceAll(provided.baseUrl, "https://rowferry.example"));
  return () => rm(folder, { recursive: true, force: true });
});

test("the document is public, the same on both replicas, and names each operation's tier", async () => {
  const [one, other] = [await api("/openapi.json"), await api("/openapi.json", { replica: 1 })];
  expect(one.status).toBe(200);
  expect(other.headers.etag).toBe(one.headers.etag);
  expect(one.headers["cache-control"]).toBe("public, max-age=60");
  const tiers = Object.entries(one.body.paths as Record<string, Record<string, Record<string, string>>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => `${method} ${path} ${operation["x-rate-limit-tier"]}`),
  );
  expect(tiers).toEqual(
    expect.arrayContaining([
      "post /api/migrations write",
      "get /api/migrations/{id} read",
      "post /api/migrations/preflight probe",
      "post /api/tokens minting",
      "post /api/session credentials",
      "get /openapi.json none",
    ]),
  );
});

test("`npm run openapi` prints the same operations", async () => {
  const { stdout } = await execute(process.execPath, [new URL("../../dev/openapi.ts", import.meta.url).pathname], {
    maxBuffer: 1 << 24,
  });
  const { body } = await api("/openapi.json");
  expect(Object.keys(JSON.parse(stdout).paths)).toEqual(Object.keys(body.paths));
});

test("Redocly's strict rules find nothing", async () => {
  await writeFile(join(folder, "redocly.yaml"), "extends:\n  - recommended-strict\n");
  // Both only redirect.
  const redirects = ["start", "callback"].map((name) => `#/paths/~1api~1auth~1oidc~1${name}/get/responses`);
  const ignored = { "openapi.json": { "operation-2xx-response": redirects } };
  await writeFile(join(folder, ".redocly.lint-ignore.yaml"), JSON.stringify(ignored));
  const words = ["lint", "openapi.json", "--config", "redocly.yaml", "--format", "json"];
  const { stdout } = await execute(process.execPath, [join(tools, "node_modules/@redocly/cli/bin/cli.js"), ...words], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
  const found = JSON.parse(stdout);
  expect(found.totals).toMatchObject({ errors: 0, warnings: 0 });
  expect(found.problems.filter(({ ignored }: { ignored?: boolean }) => !ignored)).toEqual([]);
});

/** A stranger's program: types are checked against the client that was made. */
const flow = `
import { createClient } from "./client/client";
import { createMigration, getMigration, getMigrationLogs, preflightMigration } from "./client/sdk.gen";

const client = createClient({ baseUrl: process.env.BASE_URL ?? "", auth: () => process.env.TOKEN });
const body = JSON.parse(process.env.PAIR ?? "") as { source_url: string; target_url: string };
const preflight = await preflightMigration({ client, body });
console.log(JSON.stringify({ ready: preflight.data?.ready }));
const created = await createMigration({ client, body, headers: { "Idempotency-Key": "flow-1" } });
if (created.data === undefined) throw new Error(JSON.stringify(created.error));
const id: string = created.data.migration.id;
console.log(JSON.stringify({ id, status: created.data.migration.status, checkout: created.data.checkout_url ?? null }));
for (;;) {
  const { data, error } = await getMigration({ client, path: { id } });
  if (data === undefined) throw new Error(error.detail);
  if (data.status === "completed" || data.status === "failed") {
    const logs = await getMigrationLogs({ client, path: { id } });
    console.log(JSON.stringify({ status: data.status, logs: logs.data?.data.map(({ message }) => message) }));
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
}
const gone = await getMigration({ client, path: { id: "00000000-0000-4000-8000-000000000000" } });
console.log(JSON.stringify({ code: gone.error?.code }));
`;

describe("a client that Hey API makes of it", () => {
  beforeAll(async () => {
    await execute(
      process.execPath,
      [join(tools, "node_modules/@hey-api/openapi-ts/bin/run.js"), "-i", "openapi.json", "-o", "client", "--silent"],
      { cwd: folder },
    );
    await writeFile(join(folder, "flow.ts"), flow);
  });

  test("is right by TypeScript, with what a program does with it", async () => {
    const node = new URL("../../node_modules/@types", import.meta.url).pathname;
    const words = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2023", "--module", "preserve"];
    const { stdout } = await execute(
      process.execPath,
      [join(tools, "node_modules/typescript/bin/tsc"), ...words, "--types", "node", "--typeRoots", node, "flow.ts"],
      { cwd: folder },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });

  test("asks, creates, polls to the end and reads the log", async () => {
    const person = await signUp();
    await build({
      absWorkingDir: folder,
      entryPoints: ["flow.ts"],
      outfile: "flow.mjs",
      bundle: true,
      platform: "node",
      format: "esm",
    });
    const ran = execute(process.execPath, [join(folder, "flow.mjs")], {
      env: {
        PATH: process.env.PATH,
        NODE_EXTRA_CA_CERTS: join(provided.folder, "rowferry-api-tls/ca.crt"),
        BASE_URL: provided.baseUrl,
        TOKEN: person.token,
        PAIR: JSON.stringify(pair),
      },
    });
    const ended = ran.then(
      () => true,
      () => true,
    );
    const id = await Promise.race([
      ended.then(() => undefined),
      expect
        .poll(
          async () => (await api("/api/migrations", { token: person.token })).body?.data?.[0]?.id as string | undefined,
          { timeout: 60_000 },
        )
        .toBeDefined()
        .then(async () => String((await api("/api/migrations", { token: person.token })).body.data[0].id)),
    ]);
    if (id !== undefined) {
      await complete(person, id, 3);
      await untilStatus(person, id, "completed");
    }
    const said = (await ran).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(said).toEqual([
      // Nothing answers at these URLs.
      { ready: false },
      { id, status: "pending", checkout: null },
      { status: "completed", logs: expect.arrayContaining(["milestone 0"]) },
      { code: "not_found" },
    ]);
    expect(await readFile(join(folder, "client/types.gen.ts"), "utf8")).toContain("export type Migration = ");
  });
});
