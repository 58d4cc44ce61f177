import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mcpServers } from "../../src/mcp/servers.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import type { Caller } from "../api/http.ts";
import { provided, signUp, startReplica } from "../api/world.ts";
import { excludedChecks, excludedScenarios } from "./conformance-excluded.ts";
import { startTokenProxy, type TokenProxy } from "./token-proxy.ts";

/** The protocol's official suite and the Inspector's command line, against the real API. */

const require = createRequire(import.meta.url);
const suite = require.resolve("@modelcontextprotocol/conformance/dist/index.js");
const inspector = require.resolve("@modelcontextprotocol/inspector-cli/build/cli.js");

let token: string;
let proxy: TokenProxy;
beforeAll(async () => {
  ({ token } = await signUp());
  let caller: Caller | undefined;
  proxy = await startTokenProxy(token, () => {
    if (caller === undefined) throw new Error("the replica has not started");
    return caller;
  });
  // The suite shows an Origin that a server has to take.
  ({ caller } = await startReplica({ ROWFERRY_CORS_ORIGINS: proxy.origin }));
});
afterAll(() => proxy?.close());

interface Ran {
  code: number;
  out: string;
  err: string;
}

const run = (file: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  new Promise((resolve) => {
    // The Inspector looks for its own version beside the working folder.
    const options = { env: { ...process.env, NO_COLOR: "1", ...env }, maxBuffer: 64 << 20, cwd: dirname(file) };
    const child = execFile(process.execPath, [file, ...args], options, (_error, out, err) =>
      resolve({ code: child.exitCode ?? 1, out, err }),
    );
  });

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

async function conformance(path: string, revision: string): Promise<Map<string, Check[]>> {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-conformance-"));
  const args = ["server", "--url", `${proxy.origin}${path}`, "--requirements", revision, "--output-dir", folder];
  const { out, err } = await run(suite, args);
  const found = readdirSync(folder).map((name): [string, Check[]] => [
    name.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, ""),
    JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[],
  ]);
  expect(found.length, out + err).toBeGreaterThan(20);
  return new Map(found);
}

function judge(told: string, scenario: string, checks: readonly Check[]): void {
  const failed = checks.filter(({ status }) => status === "FAILURE");
  // What is refused is refused in the protocol's words all the same.
  expect(
    failed.map(({ id }) => id),
    told,
  ).not.toContain("wire-schema-valid");
  if (excludedScenarios.has(scenario)) expect(failed.length, `${told} passes: exclude it no more`).toBeGreaterThan(0);
  else
    expect(
      failed.filter(({ id }) => !excludedChecks.has(id)),
      told,
    ).toEqual([]);
}

test.each([
  ["2025-11-25", ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]],
  ["2026-07-28", ["server-stateless", "tools-list", "dns-rebinding-protection", "caching", "http-header-validation"]],
])(
  "both servers pass what the official suite asks of revision %s, but for what is excluded",
  async (revision, held) => {
    const ran = mcpServers.map(async ({ path }) => ({ path, found: await conformance(path, revision) }));
    for (const { path, found } of await Promise.all(ran)) {
      expect([...found.keys()]).toEqual(expect.arrayContaining(held));
      for (const [scenario, checks] of found) judge(`${path} ${scenario}`, scenario, checks);
      const passed = [...found.values()].flat().filter(({ status }) => status === "SUCCESS").length;
      console.log(`${path} ${revision}: ${found.size} scenarios, ${passed} checks passed`);
    }
  },
);

test("the Inspector's command line lists and calls the tools with nothing but the URL and the header", async () => {
  const url = `${provided.baseUrl}/mcp-migrations`;
  const inspect = async (...words: string[]) => {
    const args = ["--cli", url, "--transport", "http", "--header", `Authorization: Bearer ${token}`, ...words];
    const { code, out, err } = await run(inspector, args, {
      NODE_EXTRA_CA_CERTS: join(provided.folder, installed.apiTls, "ca.crt"),
    });
    expect(code, out + err).toBe(0);
    return JSON.parse(out);
  };
  expect((await inspect("--method", "tools/list")).tools).toHaveLength(7);
  const listed = await inspect(
    "--method",
    "tools/call",
    "--tool-name",
    "list-migrations-tool",
    "--tool-arg",
    "limit=5",
  );
  expect(listed.structuredContent).toEqual({ data: [], next_cursor: null, untrusted: null });
});
