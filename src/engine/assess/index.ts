import { numberText } from "../../guard/text.ts";
import type { CopyHooks } from "../contract/index.ts";
import { reportedOf } from "../contract/known.ts";
import type { EngineName } from "../contract/text/engine-name.ts";
import { printable } from "../contract/text/printable.ts";
import type { PlannedObject } from "../plan/types.ts";
import { requireJobs } from "../run/jobs.ts";
import { type Lack, weigh } from "../run/memory/check.ts";
import { countAll, countRows } from "../run/memory/count.ts";
import { latencyOf, openReading, serverOf, sizeOf } from "../run/open-database.ts";
import { reportLockWaits } from "../run/watchdog/lock-waits.ts";
import { estimateTime } from "./estimate.ts";
import type { Finding, ReportFinding } from "./finding.ts";
import type { Request, Sides, TargetFindings } from "./found.ts";
import { loginError } from "./login-error.ts";
import { reportPacket } from "./mysql/limits.ts";
import { assessPair } from "./pair.ts";
import { type Dropped, noneDropped } from "./rows-dropped.ts";
import { type RowSample, rateOf, type Sampled, sampleRows, sampleSending } from "./sample.ts";

/**
 * What a copy would meet, before it: rights, versions, sizes, conversions, and what stands in its way. It reads the
 * catalogues, settings and statistics of both servers and a bounded sample of the largest table, which it names, and writes nothing.
 */
export interface AssessRequest extends Request {
  /** Reads no rows and sends none, so that no rate is measured: it is asked what stands in the way, not how long it takes. */
  unmeasured?: boolean;
  /** Bytes of heap that the process has which would copy. This one's. */
  heap?: number | undefined;
}

/** src/resources/assessment.ts has its schema. */
export interface Assessment {
  type: "transfer" | "conversion";
  assessedAt: string;
  ready: boolean;
  source: { engine: EngineName; version: string; size: number; tables: number; rows: number };
  target: { engine: EngineName; version: string; empty: boolean; free: number | null; drops?: Dropped | undefined };
  /** Bytes that the copy needs for what it keeps of tables and columns. */
  memory?: { heap: number; container: number } | undefined;
  findings: Finding[];
  objects: PlannedObject[];
  estimate: {
    seconds: { least: number; most: number };
    basis: string;
    latencyMs: { source: number; target: number };
  };
  samples: string[];
}

/** Errors: EngineError of a server that cannot be reached, `option_unmatched`, `option_invalid`; the signal's reason. What would fail later is a finding. */
export async function assess(request: AssessRequest, hooks: Pick<CopyHooks, "signal" | "log">): Promise<Assessment> {
  requireJobs(request.options);
  const asking = { program: "rowferry assess", signal: hooks.signal };
  const opened = await Promise.allSettled([
    openReading(request.source, { ...asking, role: "source" }),
    openReading(request.target, { ...asking, role: "target" }),
  ]);
  try {
    const [source, target] = opened.map((side) => {
      if (side.status === "rejected") throw loginError(side.reason);
      return side.value;
    }) as [Sides["source"], Sides["target"]];
    // It waits for a lock for 2 s at most, and its error names the holder.
    const times = { firstMs: 300, againMs: 500 };
    return await reportLockWaits(
      () => undefined,
      () => assessOpened({ source, target }, request, hooks),
      times,
    );
  } finally {
    await Promise.all(opened.map((side) => (side.status === "fulfilled" ? side.value.session.end() : undefined)));
  }
}

/** As `assess`, on sessions that its caller opened (openReading) and ends. */
export async function assessOpened(
  sides: Sides,
  request: AssessRequest,
  { signal, log }: Pick<CopyHooks, "signal" | "log">,
): Promise<Assessment> {
  const assessedAt = new Date().toISOString();
  const { options } = request;
  const { source, target } = sides;
  const findings: Finding[] = [];
  const report: ReportFinding = (severity, code, object, reason, fix = "") => {
    const words = { object: printable(object), reason: printable(reason), fix: printable(fix) };
    // The types of `Say` hold what belongs to which severity.
    const finding = { severity, code, ...words } as Finding;
    findings.push(finding);
    if (severity !== "note") log(severity === "blocker" ? "error" : "warning", `${finding.object}: ${finding.reason}`);
  };
  // Nobody's lock may hold up what only asks.
  for (const { engine, session } of [source, target])
    if (engine === "postgres") await session.run("SET lock_timeout = '2s'");
  const latencyMs = { source: await latencyOf(source), target: await latencyOf(target) };
  const { need, lack } = await weigh(source, target.engine, options, request.heap);
  if (lack !== undefined) report("blocker", "memory_too_small", "the worker's memory", lack.reason, lack.fix);
  const found =
    lack === undefined ? await assessPair(sides, request, { report, signal }) : await countedOnly(sides, lack, report);
  if (found.free !== null && found.free < found.size * room)
    report(
      found.free < found.size ? "blocker" : "warning",
      "no_room",
      "the target's disk",
      `${megabytes(found.free)} MB are free, and the source has ${megabytes(found.size)} MB, which may need twice that while indexes are built`,
      "make room before the copy",
    );
  if (lack === undefined && found.free === null && found.size >= leastMeasured)
    report(
      "note",
      "room_unknown",
      "the target's disk",
      `the server does not tell how much of it is free; the source has ${megabytes(found.size)} MB, which may need twice that while indexes are built`,
      target.engine === "postgres"
        ? "look with df at the folder that SHOW data_directory names, or at the service's console"
        : `look with df at the folder that SELECT @@datadir names, or at the service's console${target.session.server.maria ? "; INSTALL SONAME 'disks' lets MariaDB tell" : ""}`,
    );
  const rates = await measure(request, found.largest, signal);
  if (found.packet !== undefined)
    reportPacket(found.packet.settings, found.packet.long, rates.reading?.longest ?? 0, report);
  const order = { blocker: 0, warning: 1, note: 2 };
  findings.sort((a, b) => order[a.severity] - order[b.severity]);
  const estimate = estimateTime({
    source: request.source.engine,
    target: request.target.engine,
    size: found.size,
    data: found.data,
    tables: found.tables,
    measured: { reading: rateOf(rates.reading), sending: rateOf(rates.sending) },
    rowless: options.content === "schema",
    jobs: options.jobs,
    latency: latencyMs,
    bandwidth: options.bandwidth,
    checksum: options.verify === "checksum",
  });
  return {
    type: source.engine === target.engine ? "transfer" : "conversion",
    assessedAt,
    ready: findings.every(({ severity }) => severity !== "blocker"),
    source: { ...serverOf(source), size: found.size, tables: found.tables, rows: found.rows },
    target: {
      ...serverOf(target),
      empty: found.empty,
      free: found.free,
      ...(found.drops.tables === 0 ? {} : { drops: found.drops }),
    },
    memory: need,
    findings,
    objects: found.objects.map((object) => ({ ...reportedOf(object), name: printable(object.name) })),
    estimate: { ...estimate, latencyMs },
    samples: [...found.samples, ...rates.words],
  };
}

/** Where the catalogues do not fit into memory: what single numbers tell. */
async function countedOnly(
  { source, target }: Sides,
  { counted }: Lack,
  report: ReportFinding,
): Promise<TargetFindings> {
  report("note", "not_checked", "all other checks", "they read the complete catalogue, which needs as much memory");
  const size = await sizeOf(source);
  return {
    size,
    data: size,
    rows: await countRows(source),
    tables: counted.tables,
    largest: undefined,
    empty: (await countAll(target)).tables === 0,
    free: null,
    drops: noneDropped,
    objects: [],
    samples: [],
  };
}

/** Of smaller sources neither the rate nor the room matters. */
const leastMeasured = 32e6;

interface Rates {
  reading?: RowSample | undefined;
  sending?: RowSample | undefined;
  words: string[];
}

async function measure(
  { source, target, options, unmeasured }: AssessRequest,
  largest: Sampled | undefined,
  signal: AbortSignal,
): Promise<Rates> {
  if (unmeasured || largest === undefined || largest.bytes < leastMeasured || options.content === "schema")
    return { words: [] };
  const reading = await sampleRows(source, largest, options, signal);
  const sending = await sampleSending(target, signal);
  const table = printable(`${largest.schema}.${largest.name}`);
  return {
    reading,
    sending,
    words: [
      reading === undefined
        ? `no rows: ${table} could not be read within two seconds`
        : `the first ${numberText(reading.rows)} rows of ${table} (${megabytes(reading.bytes)} MB in ${reading.seconds.toFixed(1)} s; only their lengths are kept)`,
      ...(sending === undefined ? [] : ["1 MB of text that the target counted, and did not store"]),
    ],
  };
}

/** Of the source's size: indexes and the log of what is written need as much again for a while. */
const room = 2;
const megabytes = (bytes: number) => Math.round(bytes / 1e6);
