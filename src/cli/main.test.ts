import { EventEmitter } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Assessment } from "../engine/assess.ts";
import { type CopyHooks, type CopyReport, type CopyRequest, EngineError } from "../engine/contract.ts";
import { commands } from "./command.ts";
import { Interrupted } from "./exit.ts";
import type { Input, Io } from "./io.ts";
import { type Engine, main } from "./main.ts";

const report: CopyReport = {
  type: "conversion",
  source: { engine: "mysql", version: "9.7.1" },
  target: { engine: "postgres", version: "18.6" },
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:00:01.000Z",
  size: 1,
  tables: [],
  inventory: [],
  warnings: [],
  made: [{ kind: "table", name: ["public", "t"] }],
};

const assessment: Assessment = {
  type: "conversion",
  assessedAt: report.startedAt,
  ready: true,
  source: { ...report.source, size: 1, tables: 0, rows: 0 },
  target: { ...report.target, empty: true, free: null },
  findings: [],
  objects: [],
  estimate: { seconds: { least: 1, most: 2 }, basis: "none", latencyMs: { source: 0, target: 0 } },
  samples: [],
};

/** One call of the command line with an engine that does as it is told. */
async function call(
  argv: string[],
  {
    env = {},
    terminal = false,
    typed = "",
    engine = () => report,
    findings = [],
    signal = new AbortController().signal,
    stuck = {},
  }: {
    env?: Record<string, string>;
    terminal?: boolean;
    typed?: string;
    engine?: (request: CopyRequest, hooks: CopyHooks) => CopyReport;
    findings?: Assessment["findings"];
    signal?: AbortSignal;
    /** In place of the engine's own. */
    stuck?: Partial<Engine>;
  } = {},
) {
  const heard = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    isTTY: terminal,
    columns: 100,
    write(text: string, done?: () => void) {
      heard[name] += text;
      done?.();
    },
  });
  const keys = new EventEmitter();
  const stdin = Object.assign(keys, {
    isTTY: terminal,
    setRawMode: () => undefined,
    pause: () => undefined,
    resume: () => setImmediate(() => keys.emit("data", Buffer.from(typed))),
  });
  const requests: CopyRequest[] = [];
  let finished = 0;
  const io: Io = {
    env,
    stdin: stdin as unknown as Input,
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    now: () => new Date(0),
    monotonic: () => 0,
    version: "1.2.3",
  };
  const engineOf: Engine = {
    async copy(request, hooks) {
      requests.push(request);
      return { report: engine(request, hooks), finish: async () => void finished++ };
    },
    foundRun: () => Promise.resolve(undefined),
    assess: () => Promise.resolve({ ...assessment, findings }),
    verify: () => Promise.reject(new Error("not asked for")),
    reset: () => Promise.reject(new Error("not asked for")),
  };
  const code = await main(argv, io, signal, { ...engineOf, ...stuck }, 1);
  return { code, ...heard, request: requests[0], finished };
}

const places = ["mysql://reader:s3cret-in-url@db.invalid/shop", "postgres://shop@db.invalid/shop"];
const bare = ["mysql://reader@DB.invalid/shop", "postgres://shop@db.invalid/shop"];

describe("a command line that cannot be followed ends with 2 before anything is opened", () => {
  it.each<[string, string[], string]>([
    ["no command", [], "copy, assess, verify, reset"],
    ["an unknown command", ["copi"], 'there is no command "copi"'],
    [
      "a word that is missing",
      ["copy", "mysql://a@b/c"],
      "copy takes SOURCE and TARGET, two URLs such as mysql://user@host/database; 1 word was given",
    ],
    ["a flag that is not there", ["copy", ...places, "--inclde", "x"], "is --include meant?"],
    ["a flag of another command", ["reset", "postgres://a@b/c", "--include", "x"], "there is no flag --include"],
    ["a value that is missing", ["copy", ...places, "--include"], "argument missing"],
    ["a number that is too large", ["copy", ...places, "--jobs", "99"], "--jobs is a whole number from 1 to 16"],
    ["a number that is none", ["copy", ...places, "--jobs", "two"], "--jobs is a whole number from 1 to 16"],
    ["none of the choices", ["copy", ...places, "--content", "rows"], "--content is all, schema or data"],
    [
      "a date that is none",
      ["copy", ...places, "--zero-dates", "2026-13-01"],
      "--zero-dates is null, fail or a date such as 1970-01-01",
    ],
    [
      "a type without a column",
      ["copy", ...places, "--types", "amount=text"],
      "--types: write a column as table.column",
    ],
    ["a pair without =", ["copy", ...places, "--schemas", "shop"], "two words with = between them"],
    ["an amount that is none", ["copy", ...places, "--bandwidth", "fast"], "is a number of bytes such as"],
    ["a URL that is none", ["copy", "shop", bare[1] ?? ""], "the source's connection URL is not accepted"],
    ["a path in a URL", ["copy", `${bare[0]}?ssl-ca=/x`, bare[1] ?? ""], "ssl-ca is refused"],
    ["a password given twice", ["copy", ...places, "--source-password-file", "/dev/null"], "given twice"],
    [
      "a password's file that is not there",
      ["copy", ...bare, "--source-password-file", "/nowhere"],
      "cannot be read: there is no such file",
    ],
    [
      "a CA that is not there",
      ["copy", ...places, "--source-ca", "/nowhere/ca.pem"],
      "cannot be read: there is no such file",
    ],
    ["a CA that is none", ["copy", ...places, "--source-ca", "package.json"], "--source-ca: a CA is PEM"],
    ["a report that cannot be written", ["copy", ...places, "--report", "/nowhere/r.json"], "cannot be written"],
    ["a way to show progress that is none", ["copy", ...places, "--progress", "loud"], "--progress is one of"],
    ["a run's name that is none", ["copy", ...places, "--run", "a b"], "--run is a name"],
  ])("%s", async (_name, words, said) => {
    const { code, stdout, stderr, request } = await call(words);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).not.toContain("s3cret-in-url");
    expect(request).toBeUndefined();
  });

  it("also as JSON", async () => {
    const { code, stdout } = await call(["copy", ...places, "--jobs", "0", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ command: "copy", outcome: "failed", error: { code: "usage" } });
  });
});

describe("Ctrl-C ends with 130 where the engine never answers again", () => {
  const never = () => new Promise<never>(() => undefined);
  it.each([
    ["copying", ["copy", ...places], { copy: never }],
    ["looking what stands in the way", ["copy", ...places], { assess: never }],
    ["removing its table at the end", ["copy", ...places], { copy: async () => ({ report, finish: never }) }],
    ["assessing", ["assess", ...places], { assess: never }],
    ["comparing", ["verify", ...places], { verify: never }],
    ["looking for a run", ["reset", bare[1] ?? "", "--run", "r", "--yes"], { foundRun: never }],
    ["dropping", ["reset", bare[1] ?? "", "--run", "r", "--yes"], { reset: never }],
  ] as [string, string[], Partial<Engine>][])("while %s", async (_name, argv, stuck) => {
    const { code, stderr } = await call(argv, { stuck, signal: AbortSignal.abort(new Interrupted("SIGINT")) });
    expect(code, stderr).toBe(130);
  });
});

describe("help", () => {
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
    expect(shown.stdout).toContain("Exit codes: 0");
  });

  it("tells the version", async () => {
    expect(await call(["--version"])).toMatchObject({ code: 0, stdout: "1.2.3\n" });
  });
});

describe("how a copy ended is in the exit code", () => {
  const failing =
    (code: string, retryable = false) =>
    () => {
      throw new EngineError(code, "so it is", { retryable });
    };
  it.each([
    ["done", () => report, 0],
    ["access_denied", failing("access_denied"), 1],
    ["connection_lost", failing("connection_lost", true), 1],
    ["verification_failed", failing("verification_failed"), 3],
    ["count_mismatch", failing("count_mismatch"), 3],
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

  it("and what stands in the way ends it before the engine copies, all of it with its mend", async () => {
    const row = (object: string, mend: string) =>
      ({ severity: "blocker", code: "row_security", object, reason: "it is hidden", mend }) as const;
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
  it("has the options, and a run that follows from the places alone", async () => {
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
      await call(["copy", "mysql://other:pw@db.invalid:3306/shop", bare[1] ?? ""]),
      await call(["copy", "mysql://reader@db.invalid/shop2", bare[1] ?? ""]),
      await call(["copy", ...bare, "--run", "mine"]),
    ];
    expect(again.request?.owner).toBe(request?.owner);
    expect(other.request?.owner).not.toBe(request?.owner);
    expect(named.request?.owner).toBe("mine");
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

describe("a password", () => {
  const file = join(mkdtempSync(join(tmpdir(), "pw-")), "secret");
  writeFileSync(file, "from a file\n", { mode: 0o600 });
  const env = { ROWFERRY_SOURCE_PASSWORD: "from env", MYSQL_PWD: "mysql's", PGPASSWORD: "pg's" };
  it.each([
    ["in the URL", ["mysql://r:in%20url@h/d"], {}, "in url"],
    ["in a file, before the environment", ["mysql://r@h/d", "--source-password-file", file], env, "from a file"],
    ["in the environment", ["mysql://r@h/d"], env, "from env"],
    ["in the engine's variable", ["mysql://r@h/d"], { MYSQL_PWD: "mysql's" }, "mysql's"],
    ["of PostgreSQL's variable", ["postgres://r@h/d"], { PGPASSWORD: "pg's" }, "pg's"],
    ["that is empty in the URL, whatever the environment says", ["mysql://r:@h/d"], env, ""],
    ["that nobody gave, where nobody can be asked", ["mysql://r@h/d"], {}, ""],
  ])("%s", async (_name, [url = "", ...flags], given, password) => {
    const { request, stderr, stdout } = await call(["copy", url, bare[1] ?? "", ...flags], { env: given });
    expect(request?.source.password).toBe(password);
    expect(stderr.includes("stands in the command line")).toBe(password === "in url");
    if (password !== "") expect(stdout + stderr).not.toContain(password);
  });

  it.each([
    ["mysql://u:s3cr/et@h/d"],
    ["mysql://u:s3cr@et@h/d"],
    ["mysql://u:s3cr#et@h/d"],
    ["mysql://u:s3cr?et@h/d"],
    ["s3cr://u:s3cr@h/d"],
  ])("that makes its URL malformed is not repeated: %s", async (url) => {
    const { code, stdout, stderr } = await call(["copy", url, bare[1] ?? "", "--json"]);
    expect(code).toBe(2);
    expect((stdout + stderr).replace("s3cr://", "")).not.toContain("s3cr");
  });

  it("that is not in the URL leaves the URL readable in what is written", async () => {
    const { stderr } = await call(["copy", ...bare]);
    expect(stderr).toContain("Copying mysql://reader@DB.invalid:3306/shop to postgres://shop@db.invalid:5432/shop");
  });

  it("is asked for at a terminal, and corrected there", async () => {
    const { request, stderr } = await call(["copy", bare[0] ?? "", "postgres://a:b1234@h/d"], {
      terminal: true,
      typed: "wrong\u0015sécx\u007fret\r",
    });
    expect(request?.source.password).toBe("sécret");
    expect(stderr).toContain("Password of reader at DB.invalid:3306 (source): ");
    expect(stderr).not.toContain("sécret");
  });

  it("Ctrl-C at the question ends with 130", async () => {
    expect((await call(["copy", ...bare], { terminal: true, typed: "abc\u0003" })).code).toBe(130);
  });

  it("is in nothing that is written, whoever repeats it", async () => {
    const leak = (request: CopyRequest, hooks: CopyHooks): CopyReport => {
      hooks.log("warning", `with ${request.source.password} and ${encodeURIComponent(request.source.password)}`);
      return { ...report, warnings: [`said ${request.source.password}`] };
    };
    for (const flags of [["--json", "--progress", "json"], []]) {
      const { stdout, stderr } = await call(["copy", ...bare, ...flags], {
        env: { MYSQL_PWD: "pl4nted/p ss%" },
        engine: leak,
      });
      expect(stdout + stderr).not.toMatch(/pl4nted/);
      expect(stderr).toContain("[redacted]");
    }
  });
});
