import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
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
  ["mysql", "postgres"],
  ["postgres", "postgres"],
])(
  "%s to %s: a child has an empty environment, no word of the call in its arguments, and no memory in a core file",
  async (from, to) => {
    const before = hole.connections();
    const asked = prober.client.preflight(
      { source: { url: url(from) }, target: { url: url(to) } },
      optionsSchema.parse({}),
    );
    await until("the probe dials", () => hole.connections() > before);
    const children = childrenOf(prober.pid);
    expect(children.length).toBeGreaterThanOrEqual(1);
    for (const { environment, command, core } of children) {
      expect(environment).toEqual([]);
      expect(command.join(" ")).not.toContain(secret);
      expect(command).toContain("--permission");
      expect(Number.parseInt(core, 16)).toBe(0);
    }
    expect(JSON.stringify(await asked)).not.toContain(secret);
  },
);

test("a child that is taken over reads neither the key nor the parent's environment, and starts no program", async () => {
  const idle = () => childrenOf(prober.pid).filter(({ command }) => !command.includes("--allow-child-process"));
  await until("the probes are gone and one waits", () => childrenOf(prober.pid).length === 1 && idle().length === 1);
  const [child] = idle();
  const flags = child?.command.filter((word) => word.startsWith("--allow")) ?? [];
  expect(flags.map((flag) => flag.split("=")[0])).toEqual(["--allow-fs-read"]);
  const readable = flags[0]?.split("=")[1] ?? "";
  expect(statSync(readable).isDirectory()).toBe(true);
  expect(readdirSync(readable).sort()).toEqual(["package.json", "probe.js", "prober.js"]);
  expect(prober.folder.startsWith(readable)).toBe(false);
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
