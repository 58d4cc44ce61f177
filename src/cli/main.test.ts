import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bare, call, places, report } from "../../test/support/cli/call.ts";
import type { RunCode } from "../engine/contract/codes/index.ts";
import { EngineError } from "../engine/contract/index.ts";
import { commands } from "./command.ts";
import type { CliEngine } from "./engine.ts";
import { Interrupted } from "./exit.ts";

describe("Ctrl-C ends with 130 where the engine never answers again", () => {
  const never = () => new Promise<never>(() => undefined);
  it.each([
    ["copying", ["copy", ...places], { copy: never }],
    ["looking what stands in the way", ["copy", ...places], { assess: never }],
    ["removing its table at the end", ["copy", ...places], { copy: async () => ({ report, finish: never }) }],
    ["assessing", ["assess", ...places], { assess: never }],
    ["comparing", ["verify", ...places], { verify: never }],
    ["looking for a run", ["reset", bare[1] ?? "", "--run", "r", "--yes"], { foundRuns: never }],
    [
      "dropping",
      ["reset", bare[1] ?? "", "--run", "r", "--yes"],
      {
        reset: never,
        foundRuns: async () => [{ owner: "r", ownerName: "r", epoch: 1, made: [], finished: false }],
      },
    ],
  ] as [string, string[], Partial<CliEngine>][])("while %s", async (_name, argv, stuck) => {
    const { code, stderr } = await call(argv, { stuck, signal: AbortSignal.abort(new Interrupted("SIGINT")) });
    expect(code, stderr).toBe(130);
  });
});

describe("a Ctrl-C that comes in the last moment", () => {
  it("of a copy that completes all the same says so, and promises nothing else", async () => {
    const abort = new AbortController();
    const engine = () => {
      abort.abort(new Interrupted("SIGINT"));
      return report;
    };
    const { code, stderr, finished } = await call(["copy", ...bare], { engine, signal: abort.signal });
    expect([code, finished], stderr).toEqual([0, 1]);
    expect(stderr).toContain("It had finished before it could stop: its result is complete.");
    expect(stderr).not.toMatch(/to resume|Run the same command|interrupted/);
  });

  it("while the record in the target is removed says that the copy is complete", async () => {
    const abort = new AbortController();
    const finish = () => {
      abort.abort(new Interrupted("SIGINT"));
      return new Promise<never>(() => undefined);
    };
    const stuck = { copy: async () => ({ report, finish }) };
    const { code, stderr, stdout } = await call(["copy", ...bare], { stuck, signal: abort.signal });
    expect(code).toBe(130);
    expect(stdout).not.toBe("");
    expect(stderr).toContain("rowferry: the copy is complete and verified; only the removal of the table _rowferry");
    expect(stderr).not.toMatch(/goes on from here|ended by SIGINT/);
  });
});

it("a run that the target does not hold is no question to ask", async () => {
  const { code, stderr } = await call(["reset", bare[1] ?? "", "--run", "zz"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^rowferry: no run is unfinished in the target.*\(nothing_to_reset\)\n$/);
});

describe("a reset that names a database alone", () => {
  const held = (owner: string) => ({
    owner,
    ownerName: `rowferry's run ${owner}`,
    epoch: 1,
    made: [{ kind: "table", name: ["public", "t"] }],
    finished: false,
  });
  const target = bare[1] ?? "";
  const env = { ROWFERRY_TARGET_PASSWORD: "x" };
  const stuck = (...owners: string[]): Partial<CliEngine> => ({
    foundRuns: async () => owners.map(held),
    reset: async () => ({ dropped: 1, absent: 0, left: [] }),
  });

  it("shows what the only run made, asks, and drops it", async () => {
    const { code, stderr, stdout } = await call(["reset", target], {
      env,
      terminal: true,
      typed: "yes\r",
      stuck: stuck("r1"),
    });
    expect(stderr).toContain("the run r1 made 1 object:\n  table public.t\nDrop them, with all rows? (yes/no)");
    expect(stdout).toContain("Dropped 1 object");
    expect(code).toBe(0);
  });

  it("drops nothing for another answer than yes", async () => {
    const { code, stdout } = await call(["reset", target], { env, terminal: true, typed: "\r", stuck: stuck("r1") });
    expect([code, stdout.replace(/\u001b\[\d+m/g, "")]).toEqual([0, "Nothing was dropped.\n"]);
  });

  it.each([
    ["without a terminal", ["reset", target], { terminal: false, stuck: stuck("r1") }],
    ["with --yes", ["reset", target, "--yes"], { terminal: true, stuck: stuck("r1") }],
    ["where two runs are unfinished", ["reset", target], { terminal: true, stuck: stuck("r1", "r2") }],
  ])("says which run to name %s", async (_name, argv, options) => {
    const { code, stderr } = await call(argv, { env, ...options });
    expect(stderr).toContain("which made 1 object: to drop these add --run r1");
    expect(stderr).toContain("nothing was dropped");
    expect(code).toBe(2);
  });
});

describe("colours", () => {
  const stuck: Partial<CliEngine> = { copy: async () => ({ report, finish: async () => undefined }) };
  const env = { ROWFERRY_SOURCE_PASSWORD: "x", ROWFERRY_TARGET_PASSWORD: "x", TERM: "xterm" };
  const escapes = /\u001b\[\d+m/;

  it("are on a terminal: the verdict, an error's beginning, the help's titles", async () => {
    expect((await call(["copy", ...bare], { env, terminal: true, stuck })).stdout).toMatch(
      /^\u001b\[32m[^\n]*\u001b\[39m\n/,
    );
    expect((await call(["copy", ...bare, "--jobs", "0"], { env, terminal: true })).stderr).toContain(
      "\u001b[31mrowferry:\u001b[39m --jobs",
    );
    expect((await call(["--help"], { env, terminal: true })).stdout).toContain("\u001b[1mUsage:\u001b[22m");
  });

  it.each([
    ["a pipe", { env, terminal: false }],
    ["a terminal with NO_COLOR", { env: { ...env, NO_COLOR: "1" }, terminal: true }],
  ])("are not in %s", async (_name, options) => {
    for (const words of [["copy", ...bare], ["copy", ...bare, "--jobs", "0"], ["--help"], ["copy", "--help"]]) {
      const { stdout, stderr } = await call(words, { ...options, stuck });
      expect(stdout + stderr, words.join(" ")).not.toMatch(escapes);
    }
  });
});

describe("help", () => {
  it("of completion says how a shell loads it", async () => {
    const [shown, also] = [await call(["completion", "--help"]), await call(["help", "completion"])];
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("source <(rowferry completion bash)") });
    expect(also.stdout).toBe(shown.stdout);
  });

  it.each([[["--help"]], [["help"]], [["-h"]]])("%j lists the commands", async (words) => {
    const { code, stdout } = await call(words);
    expect(code).toBe(0);
    for (const { summary } of commands) expect(stdout).toContain(summary);
  });

  it.each(commands.map(({ name }) => name))("%s has flags, examples and exit codes", async (name) => {
    const [shown, also] = [await call([name, "--help"]), await call(["help", name])];
    expect(shown.code).toBe(0);
    expect(also.stdout).toBe(shown.stdout);
    expect(shown.stdout).toContain("--json");
    expect(shown.stdout).toMatch(/Exit codes:\n {2}0: done/);
  });

  it("tells the version", async () => {
    expect(await call(["--version"])).toMatchObject({ code: 0, stdout: "1.2.3\n" });
  });
});

describe("how a copy ended is in the exit code", () => {
  const failing =
    (code: RunCode, retryable = false) =>
    () => {
      throw new EngineError(code, "so it is", { retryable });
    };
  it.each([
    ["done", () => report, 0],
    ["access_denied", failing("access_denied"), 1],
    ["connection_lost", failing("connection_lost", true), 1],
    ["option_invalid", failing("option_invalid"), 2],
    ["option_unmatched", failing("option_unmatched"), 2],
    ["unsupported_option", failing("unsupported_option"), 2],
    ["verification_failed", failing("verification_failed"), 3],
    ["row_count_mismatch", failing("row_count_mismatch"), 3],
    [
      "a fault of ours",
      () => {
        throw new TypeError("x is undefined");
      },
      1,
    ],
  ])("%s", async (_name, engine, expected) => {
    const { code, stdout, finished } = await call(["copy", ...bare, "--json"], { engine });
    expect(code).toBe(expected);
    expect(JSON.parse(stdout).outcome).toBe(expected === 0 ? "done" : expected === 3 ? "different" : "failed");
    expect(finished).toBe(expected === 0 ? 1 : 0);
  });

  it("and what stands in the way ends it before the engine copies, all of it with its fix", async () => {
    const row = (object: string, fix: string) =>
      ({ severity: "blocker", code: "row_security", object, reason: "it is hidden", fix }) as const;
    const findings = [row("public.a", "name it in options.exclude"), row("public.b", "give BYPASSRLS")];
    const { code, stdout, stderr, request } = await call(["copy", ...places, "--json"], { findings });
    expect(code).toBe(1);
    expect(request).toBeUndefined();
    const { error } = JSON.parse(stdout);
    expect(error.code).toBe("row_security");
    expect(error.message).toBe(
      "nothing was written, since the copy would fail: public.a: it is hidden (name it in --exclude); public.b: it is hidden (give BYPASSRLS)",
    );
    expect(stderr).not.toContain("rowferry reset");
  });

  it("and with events each line of stderr is one, the last that of the failure, also after a signal", async () => {
    const engine = () => {
      throw new EngineError("no_room", "no room is left");
    };
    const abort = new AbortController();
    const linesOf = (text: string) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    const failed = await call(["copy", ...places, "--progress", "json"], { engine });
    expect(linesOf(failed.stderr).at(-1)).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      event: "failed",
      code: "no_room",
      message: "no room is left",
      retryable: false,
    });
    const ended = await call(["copy", ...places, "--progress", "json"], {
      engine: () => {
        abort.abort(new Interrupted("SIGINT"));
        throw abort.signal.reason;
      },
      signal: abort.signal,
    });
    expect(ended.code).toBe(130);
    expect(linesOf(ended.stderr).map(({ message }) => message)).toContainEqual(
      expect.stringContaining("Stopping cleanly"),
    );
  });

  it("and what was found different is in the report's file", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "report-")), "x.json");
    const engine = () => {
      throw new EngineError("verification_failed", "so it is", { report });
    };
    const { code, finished } = await call(["copy", ...bare, "--report", file], { engine });
    expect([code, finished]).toEqual([3, 0]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ type: report.type });
  });
});

describe("the request that the engine gets", () => {
  it("has the options, and a run that follows from the places and the selection", async () => {
    const words = [
      "--jobs",
      "4",
      "--include",
      "a",
      "--include",
      "b,c",
      "--schemas",
      "x=y",
      "--schemas",
      "z=",
      "--bandwidth",
      "20M",
    ];
    const { request } = await call(["copy", ...bare, ...words]);
    expect(request?.options).toMatchObject({
      jobs: 4,
      include: ["a", "b,c"],
      schemas: { x: "y", z: "" },
      bandwidth: 20_000_000,
    });
    const [again, other, named] = [
      await call([
        "copy",
        "mysql://other:pw@db.invalid:3306/shop",
        bare[1] ?? "",
        "-i",
        "b,c",
        "-i",
        "a",
        "--jobs",
        "2",
      ]),
      await call(["copy", "mysql://reader@db.invalid/shop2", bare[1] ?? ""]),
      await call(["copy", ...bare, "--run", "mine"]),
    ];
    expect(again.request?.owner).toBe(request?.owner);
    expect(other.request?.owner).not.toBe(request?.owner);
    expect(named.request?.owner).toBe("mine");
    const all = await call(["copy", ...bare]);
    expect(all.request?.owner).not.toBe(request?.owner);
    expect(request?.ownerName).toContain(`${request?.owner} (mysql://reader@DB.invalid:3306/shop to postgres:`);
  });

  it.each([
    ["20000000", 20_000_000],
    ["20MB", 20_000_000],
    ["1.5k", 1500],
    ["2MiB", 2_097_152],
    ["1g/s", 1_000_000_000],
  ])("--bandwidth %s is %d bytes a second", async (text, bytes) => {
    expect((await call(["copy", ...bare, "--bandwidth", text])).request?.options.bandwidth).toBe(bytes);
  });
});
