import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Caller } from "../api/http.ts";
import { signUp, startReplica } from "../api/world.ts";
import { pythonWith } from "../python.ts";
import { startTokenProxy } from "./token-proxy.ts";

/** The official Python client, in both major versions, against the real API: what its user reads when a call is refused. */

const folder = join(import.meta.dirname, "python");
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function connect(version: number, token: string, caller: Caller): Promise<string[]> {
  const python = await pythonWith(`mcp-python-${version}`, join(folder, `requirements-${version}.txt`));
  const proxy = await startTokenProxy(token, () => caller);
  closing.push(proxy.close);
  return new Promise((resolve) => {
    const env = { ...process.env, NO_PROXY: "localhost,127.0.0.1" };
    execFile(python, [join(folder, "connect.py"), `${proxy.origin}/mcp-migrations`], { env }, (_error, out) =>
      resolve(out.trim().split("\n")),
    );
  });
}

describe.each([
  [1, /^error HTTPStatusError .*401 Unauthorized/, /^error HTTPStatusError .*429 Too Many Requests/],
  // Of a problem document it would say "Server returned an error response".
  [2, /^error MCPError .*token/i, /^error MCPError .*retry in \d+ seconds?/],
])("the Python client %i.x", (version, unauthenticated, limited) => {
  test("shows why a wrong token is refused", async () => {
    const { caller } = await startReplica({});
    const lines = await connect(version, "1|rfy_wrong", caller);
    expect(lines.find((line) => line.startsWith("error"))).toMatch(unauthenticated);
  });

  test("lists the tools, and shows the limit that ends it", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: JSON.stringify({ ai: [{ points: 2, seconds: 600 }] }) });
    const { token } = await signUp();
    const lines = await connect(version, token, caller);
    expect(lines.slice(0, 2)).toEqual(["tools 7", "tools 7"]);
    expect(lines.find((line) => line.startsWith("error"))).toMatch(limited);
  });
});
