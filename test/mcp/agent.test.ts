import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, expect, test } from "vitest";
import { installed } from "../../src/resources/crd/installed.ts";
import { untilStatus, work } from "../api/migrations-play.ts";
import { type Person, provided, signUp, startReplica } from "../api/world.ts";
import { connect } from "../databases/connect.ts";
import { atFileEnd } from "../file-end.ts";
import { pythonWith } from "../python.ts";
import { borrowDatabase } from "../servers/index.ts";

/**
 * An agent framework from PyPI, Pydantic AI, on the MCP server: a script is the agent's model, so all that it sees is checked.
 * Servers, API and worker are real; only the kubelet is played.
 */

const folder = join(import.meta.dirname, "python");
const ca = join(provided.folder, installed.apiTls, "ca.crt");
let python: string;
beforeAll(async () => {
  python = await pythonWith("mcp-agent", join(folder, "requirements-agent.txt"));
});
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Shown {
  event: "tools" | "returned" | "answer" | "error";
  /** `retried`: the framework asks the model to call again, by the server's words. */
  outcome?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  content: any;
  names?: string[];
  type?: string;
}

interface Agent {
  /** What the agent shows next. */
  next(): Promise<Shown>;
  /** The model calls a tool; what the agent shows of it. */
  call(name: string, input?: object): Promise<Shown>;
  /** The model calls nothing more. */
  finish(): Promise<Shown>;
}

function startAgent(origin: string, token: string): Agent {
  const child = spawn(python, [join(folder, "agent.py"), `${origin}/mcp-migrations`, token], {
    env: { ...process.env, NO_PROXY: "localhost,127.0.0.1", SSL_CERT_FILE: ca },
    stdio: ["pipe", "pipe", "inherit"],
  });
  closing.push(() => child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? "{}") as Shown;
  return {
    next,
    call(name, input = {}) {
      child.stdin.write(`${JSON.stringify({ name: `${name}-migration-tool`, arguments: input })}\n`);
      return next();
    },
    async finish() {
      const over = once(child, "close");
      child.stdin.end();
      const last = await next();
      await over;
      return last;
    },
  };
}

async function databases() {
  const [mysql, postgres] = await Promise.all([borrowDatabase("mysql"), borrowDatabase("postgres")]);
  atFileEnd(() => Promise.all([mysql.stop(), postgres.stop()]));
  const source = await connect("mysql", mysql.url);
  await source.query("CREATE TABLE orders (id INT PRIMARY KEY)");
  await source.query("INSERT INTO orders VALUES (1), (2)");
  await source.query("CREATE PROCEDURE nothing() SELECT 1");
  await source.end();
  return { source_url: mysql.url, target_url: postgres.url };
}

async function copy(ann: Person, agent: Agent, id: string, run: number): Promise<Shown> {
  const { code, output } = await work(ann, id, run);
  expect(code, output).toBe(0);
  await untilStatus(ann, id, "completed");
  return agent.call("get", { id });
}

test("an agent previews, prepares with a wrong password, retries with the right one and reads the report", async () => {
  const ann = await signUp();
  const urls = await databases();
  const agent = startAgent(provided.baseUrl, ann.token);
  const tools = ["delete", "get", "list", "prepare", "preview", "reset", "retry"];
  expect(await agent.next()).toMatchObject({
    event: "tools",
    names: tools.map((name) => (name === "list" ? "list-migrations-tool" : `${name}-migration-tool`)),
  });

  const preview = await agent.call("preview", urls);
  expect(preview, JSON.stringify(preview)).toMatchObject({
    event: "returned",
    content: { ready: true, type: "conversion", source: { engine: "MySQL", tables: 1 } },
  });
  expect(preview.content.findings.lost).toBeGreaterThan(0);
  expect(preview.content.untrusted).toContain("nothing");

  const wrong = new URL(urls.target_url);
  wrong.password = "Wr0ng-Passw0rd";
  const prepared = await agent.call("prepare", { ...urls, target_url: wrong.href });
  expect(prepared).toMatchObject({ event: "returned", content: { migration: { status: "pending" } } });
  const { id } = prepared.content.migration;
  expect(await agent.call("get", { id })).toMatchObject({ content: { status: "pending", poll_after_seconds: 15 } });
  expect((await work(ann, id)).code).toBe(2);
  await untilStatus(ann, id, "failed");
  const failed = await agent.call("get", { id });
  expect(failed.content).toMatchObject({ status: "failed", error_code: "access_denied", retryable: false });
  expect(failed.content.next).toContain("pass source_url and target_url");
  expect(JSON.stringify(failed)).not.toContain("Wr0ng");

  expect(await agent.call("retry", { id, ...urls })).toMatchObject({ content: { migration: { status: "pending" } } });
  const done = await copy(ann, agent, id, 2);
  expect(done.content).toMatchObject({ status: "completed", attempt: 2, report: { tables: 1, rows: 2 } });
  expect(done.content.untrusted).toContain("not copied, or changed: ");

  const unknown = await agent.call("get", { id: "00000000-0000-4000-8000-000000000000" });
  expect(unknown).toMatchObject({
    event: "returned",
    outcome: "retried",
    content: expect.stringContaining("not_found: "),
  });
  expect(await agent.finish()).toMatchObject({ event: "answer", content: "done" });
});

test("an agent shows why a wrong token is refused", async () => {
  const shown = await startAgent(provided.baseUrl, "1|rfy_wrong").next();
  expect(shown).toMatchObject({ event: "error", content: expect.stringMatching(/token/i) });
});

test("an agent shows the limit that it reached, and when to go on", async () => {
  const { port } = await startReplica({ ROWFERRY_LIMITS: JSON.stringify({ ai: [{ points: 3, seconds: 600 }] }) });
  const agent = startAgent(`https://localhost:${port}`, (await signUp()).token);
  const unknown = { id: "00000000-0000-4000-8000-000000000000" };
  let shown = await agent.next();
  for (let at = 0; at < 3 && !/retry in/i.test(shown.content); at += 1) shown = await agent.call("get", unknown);
  expect(shown.content).toMatch(/retry in \d+ seconds?/i);
});
