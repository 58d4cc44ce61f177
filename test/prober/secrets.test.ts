import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { optionsSchema } from "../../src/resources/options.ts";
import { until } from "../worker/until.ts";
import { childrenOf } from "./children.ts";
import { type RunningProber, startProber } from "./prober.ts";
import { type Rogue, silent, startRogue } from "./rogue.ts";
import { send } from "./send.ts";

/** What a child is given, and what the prober writes: a planted password is nowhere but on its way. */

let prober: RunningProber;
let hole: Rogue;
const secret = "planted-word-77";
const inParent = "token-of-the-parent";

beforeAll(async () => {
  [prober, hole] = await Promise.all([
    startProber({
      ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
      ROWFERRY_PROBER_PREFLIGHT_SECONDS: "4",
      ROWFERRY_LOG_LEVEL: "trace",
      SOME_TOKEN: inParent,
    }),
    startRogue(silent),
  ]);
});
afterAll(async () => {
  await prober?.stop();
  hole?.close();
});

const url = (scheme: string) => `${scheme}://app:${secret}@127.0.0.1:${hole.port}/app`;

test.each([
  ["mysql", "postgres", {}],
  // It may ask pg_dump.
  ["postgres", "postgres", { exclude: ["some"] }],
])(
  "%s to %s: a child has an empty environment, no word of the call in its arguments, and no memory in a core file",
  async (from, to, given) => {
    const before = hole.connections();
    const asked = prober.client.preflight(
      { source: { url: url(from) }, target: { url: url(to) } },
      optionsSchema.parse(given),
    );
    await until("the probe dials", () => hole.connections() > before);
    const children = childrenOf(prober.pid);
    expect(children.length).toBeGreaterThanOrEqual(1);
    for (const { environment, command, core } of children) {
      expect(environment).toEqual([]);
      expect(command.join(" ")).not.toContain(secret);
      expect(command).toContain("--permission");
      expect(core).toBe(0);
    }
    expect(JSON.stringify(await asked)).not.toContain(secret);
  },
);

test("a child that is taken over reads neither the key nor the parent's environment, and starts no program", async () => {
  const idle = () => childrenOf(prober.pid).filter(({ command }) => !command.includes("--allow-child-process"));
  await until("the probes are gone and one waits", () => childrenOf(prober.pid).length === 1 && idle().length === 1);
  const [child] = idle();
  const command = child?.command ?? [];
  const flags = command.slice(1, -1);
  const readable = flags.find((flag) => flag.startsWith("--allow-fs-read="))?.split("=")[1] ?? "";
  // Programs, and the parts that esbuild names by their content.
  const isPart = (name: string) => /^[a-z-]+-[0-9A-Z]{8}\.js$/.test(name);
  expect(
    readdirSync(readable)
      .filter((name) => !isPart(name))
      .sort(),
  ).toEqual(["package.json", "probe.js", "prober.js"]);
  // Another program under the very flags of the child.
  const attempts = [
    `fs.readFileSync(${JSON.stringify(join(prober.folder, "tls.key"))})`,
    `fs.readFileSync("/proc/${prober.pid}/environ")`,
    `fs.writeFileSync(${JSON.stringify(join(readable, "more"))}, "")`,
    'require("node:child_process").spawnSync("true")',
    'new (require("node:worker_threads").Worker)("", { eval: true })',
    'process.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libm.so.6")',
  ];
  const tries = attempts.map((code) => `try { ${code}; said.push("done") } catch (error) { said.push(error.code) }`);
  const script = `const fs = require("node:fs"); const said = []; ${tries.join("; ")}; console.log(said.join(" "))`;
  const { stdout } = await promisify(execFile)(command[0] ?? "", [...flags, "-e", script], { env: {} });
  expect(stdout.trim().split(" ")).toEqual([
    ...Array.from({ length: 5 }, () => "ERR_ACCESS_DENIED"),
    "ERR_DLOPEN_DISABLED",
  ]);
});

test("nothing of a call is in the prober's log, whatever became of it", async () => {
  await prober.client.test({ url: url("mysql").replace(`:${hole.port}`, ":1") });
  await prober.client.test({ url: `mysql://app:${secret}@127.0.0.1:1/app?passfile=${secret}` });
  await prober.client.test({ url: `no-url ${secret}` });
  const raw = await fetchRaw(`{"database": {"url": "mysql://${secret}", "${secret}": 1}}`);
  const broken = await fetchRaw(`{"database": ${secret}`);
  expect([raw.status, broken.status]).toEqual([422, 400]);
  await until("all is logged", () => prober.output().split('"status":4').length === 3);
  for (const text of [prober.output(), raw.text, broken.text]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain("planted");
    expect(text).not.toContain(inParent);
  }
  expect(readFileSync(join("/proc", String(prober.pid), "cmdline"), "latin1")).not.toContain(secret);
});

const fetchRaw = (body: string) => send(prober, { body });
