import { EventEmitter } from "node:events";
import type { CliEngine } from "../../../src/cli/engine.ts";
import type { Input, Io } from "../../../src/cli/io.ts";
import { main } from "../../../src/cli/main.ts";
import type { Assessment } from "../../../src/engine/assess/index.ts";
import type { CopyHooks, CopyReport, CopyRequest } from "../../../src/engine/contract/index.ts";

/** For tests: the command line in this process, between an engine and a terminal that do as they are told. */

export const report: CopyReport = {
  type: "conversion",
  source: { engine: "mysql", version: "9.7.1" },
  target: { engine: "postgres", version: "18.6" },
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:00:01.000Z",
  size: 1,
  tables: [],
  inventory: [],
  warnings: [],
  made: [{ kind: "table", name: ["public", "t"] }],
};

const assessment: Assessment = {
  type: "conversion",
  assessedAt: report.started_at,
  ready: true,
  source: { engine: "MySQL", version: "9.7.1", size: 1, tables: 0, rows: 0 },
  target: { engine: "PostgreSQL", version: "18.6", empty: true, free: null },
  findings: [],
  objects: [],
  estimate: { seconds: { least: 1, most: 2 }, basis: "none", latencyMs: { source: 0, target: 0 } },
  samples: [],
};

/** One call of the command line with an engine that does as it is told. */
export async function call(
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
    stuck?: Partial<CliEngine>;
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
    repeat: () => () => undefined,
    version: "1.2.3",
  };
  const engineOf: CliEngine = {
    async copy(request, hooks) {
      requests.push(request);
      return { report: engine(request, hooks), finish: async () => void finished++ };
    },
    foundRuns: () => Promise.resolve([]),
    refuseElsewhere: () => Promise.resolve(),
    assess: () => Promise.resolve({ ...assessment, findings }),
    verify: () => Promise.reject(new Error("not requested")),
    reset: () => Promise.reject(new Error("not requested")),
    backups: () => Promise.reject(new Error("not requested")),
  };
  const code = await main(argv, io, signal, { ...engineOf, ...stuck }, 1);
  return { code, ...heard, request: requests[0], finished };
}

export const places = ["mysql://reader:s3cret-in-url@db.invalid/shop", "postgres://shop@db.invalid/shop"];
export const bare = ["mysql://reader@DB.invalid/shop", "postgres://shop@db.invalid/shop"];
