import { countObjects } from "../engine/assess/existing-objects.ts";
import { assessOpened } from "../engine/assess/index.ts";
import { isBeforeFirstWrite } from "../engine/contract/codes/index.ts";
import { type Endpoint, EngineError } from "../engine/contract/index.ts";
import { countRows, countSourceTables } from "../engine/run/memory/count.ts";
import { latencyOf, type OpenedDatabase, openReading, serverOf, sizeOf } from "../engine/run/open-database.ts";
import { withPublicCa } from "../engine/run/public-ca.ts";
import { inTime } from "../engine/run/watchdog/in-time.ts";
import type { Redactor } from "../guard/redact.ts";
import { cut } from "../guard/text.ts";
import { parseDatabaseUrl } from "../guard/url.ts";
import type { ProbedDatabase, Unreachable } from "../requests/prober.ts";
import { boundedAssessment } from "./bound.ts";
import { overdue, sideOf, tooSlow } from "./ended.ts";
import type { ProbeCall, ProbeResponse, ResponseOf } from "./protocol.ts";
import { type UnreachableSide, unreachableOf } from "./unreachable.ts";
import type { ChildWork } from "./work.ts";

/** What a child does with its one call: asks the databases, both at the same time, and puts into words why one cannot be asked. */

export interface ProbeRequest
  extends Pick<ChildWork, "call" | "guard" | "deadlineMs">,
    Partial<Pick<ChildWork, "pgDump" | "workerHeap">> {
  redactor: Redactor;
  /** Aborts at the deadline, or when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Told each side whose session is open. */
  reached(side: UnreachableSide): void;
  /** Told an error that is nobody's answer. */
  fault(error: unknown): void;
}

const program = "rowferry prober";
/** Milliseconds in which a server is reached or is not: whoever names a black hole holds a place no longer. */
const longestReachMs = 10_000;
/** That pg_dump may take: several run at the same time. */
const dumpBytes = 256 * 1024 * 1024;
/** No run: whatever any run keeps for itself in the target would be in the way of a new one. */
const owner = "rowferry prober";
/** For what heeds the signal to end; three of them fit into the second that the prober leaves before it kills. */
const graceMs = 250;

export async function probe(asked: ProbeRequest): Promise<ProbeResponse> {
  const { call } = asked;
  if (call.kind === "preflight") return preflight(call, asked);
  const side = sideOf(call.kind);
  const opened = await open([[side, call.kind === "measure" ? call.source : call.database]], asked);
  if (opened.unreachable !== undefined) return { unreachable: opened.unreachable };
  const [{ database, endpoint }] = opened.sides as [OpenSide];
  return closing(opened.sides, asked, side, async () => {
    if (call.kind === "measure") return { size: await sizeOf(database) };
    const { engine, version } = serverOf(database);
    const server = { engine, version: cut(version, 200) };
    if (call.kind === "target") return { ...server, objects: await countObjects(database, endpoint.database) };
    return { ...server, tls: database.session.encrypted, latencyMs: await latencyOf(database) };
  });
}

async function preflight(call: ProbeCall & { kind: "preflight" }, asked: ProbeRequest): Promise<ProbeResponse> {
  const { source_ca, target_ca, ...options } = call.options;
  const sides = await open(
    [
      ["source", withCa(call.source, source_ca)],
      ["target", withCa(call.target, target_ca)],
    ],
    asked,
  );
  const { unreachable } = sides;
  if (unreachable !== undefined) return onlyReached({ ...sides, unreachable }, asked);
  const [source, target] = sides.sides as [OpenSide, OpenSide];
  const { pgDump, workerHeap: heap } = asked;
  const request = { source: source.endpoint, target: target.endpoint, options, owner, pgDump, dumpBytes, heap };
  return closing(sides.sides, asked, "source", async () => {
    const pair = { source: source.database, target: target.database };
    const hooks = { signal: asked.signal, log: () => undefined };
    const found = await assessOpened(pair, request, hooks).catch((error: unknown) =>
      refused(error, sides.sides, asked),
    );
    if ("unreachable" in found) return found;
    const clean = asked.redactor.clean;
    const findings = found.findings.map((one) => ({ ...one, reason: clean(one.reason), fix: clean(one.fix) }));
    return { ...boundedAssessment({ ...found, findings }), size: await sizeOf(source.database) };
  });
}

/** Of a pair of which one cannot be reached: what the other one says of itself. */
async function onlyReached(
  { unreachable, sides }: { unreachable: Unreachable[]; sides: OpenSide[] },
  asked: ProbeRequest,
): Promise<ProbeResponse> {
  const [reached] = sides;
  if (reached === undefined) return { unreachable };
  const { side } = reached;
  const answer = await closing(sides, asked, side, async () => ({ unreachable, ...(await factsOf(reached)) }));
  // It was reached and did not answer in time: both have a reason then.
  const late = "unreachable" in answer ? answer.unreachable.filter((one) => one.side === side) : [];
  return late.length === 0 ? answer : { unreachable: [...unreachable, ...late].sort(bySide) };
}

/** Of a pair that was reached and whose copy would be refused, by an option for example: why, and the facts of each side that answers. */
async function refused(error: unknown, sides: OpenSide[], asked: ProbeRequest): Promise<PairResponse> {
  if (asked.signal.aborted || !(error instanceof EngineError) || !isBeforeFirstWrite(error.code)) throw error;
  const why = unreachableOf(error, { side: null, clean: asked.redactor.clean, fault: asked.fault });
  const facts = await Promise.all(sides.map((side) => factsOf(side).catch(() => ({}))));
  return { unreachable: [why], ...facts[0], ...facts[1] };
}

type PairResponse = Extract<ResponseOf<"preflight">, { unreachable: unknown }>;

async function factsOf({ side, endpoint, database }: OpenSide): Promise<Omit<PairResponse, "unreachable">> {
  const { engine, version } = serverOf(database);
  const server = { engine, version: cut(version, 200), latencyMs: await latencyOf(database) };
  if (side === "source")
    return {
      source: {
        ...server,
        size: await sizeOf(database),
        tables: await countSourceTables(database),
        rows: await countRows(database),
      },
    };
  return { target: { ...server, empty: (await countObjects(database, endpoint.database)) === 0 } };
}

const bySide = (a: Unreachable, b: Unreachable) => (a.side ?? "").localeCompare(b.side ?? "");

const withCa = (database: ProbedDatabase, ca: string | undefined): ProbedDatabase =>
  database.ca === undefined && ca !== undefined ? { ...database, ca } : database;

interface OpenSide {
  side: UnreachableSide;
  endpoint: Endpoint;
  database: OpenedDatabase;
}

/** Every side that could be opened, and why each of the others could not. */
async function open(
  databases: [UnreachableSide, ProbedDatabase][],
  asked: ProbeRequest,
): Promise<{ sides: OpenSide[]; unreachable?: Unreachable[] }> {
  const { signal } = asked;
  const reachMs = Math.min(asked.deadlineMs, longestReachMs);
  const reaching = AbortSignal.any([signal, AbortSignal.timeout(reachMs)]);
  for (const [, { url }] of databases) asked.redactor.learnUrl(url);
  const unreachable: Unreachable[] = [];
  const sides = await Promise.all(
    databases.map(async ([side, { url, ca }]) => {
      let endpoint: Endpoint | undefined;
      try {
        const parsed = await withPublicCa(
          parseDatabaseUrl(url, { minTls: asked.guard.minTls, ...(ca === undefined ? {} : { ca }) }),
        );
        endpoint = { ...parsed, guard: asked.guard };
        asked.redactor.learn(endpoint.password);
        const statementTimeout = Math.max(1, Math.ceil(asked.deadlineMs / 1000));
        const opening = openReading(endpoint, {
          role: side,
          program,
          signal,
          statementTimeout,
          loginMs: reachMs * 0.75,
        });
        const database = await inTime(opening, reaching, graceMs, () => overdue(side));
        asked.reached(side);
        return { side, endpoint, database };
      } catch (error) {
        const late = signal.aborted ? overdue(side) : error;
        unreachable.push(unreachableOf(late, { side, clean: asked.redactor.clean, fault: asked.fault }));
        return undefined;
      }
    }),
  );
  const opened = sides.filter((side) => side !== undefined);
  return { sides: opened, ...(unreachable.length === 0 ? {} : { unreachable: unreachable.sort(bySide) }) };
}

async function closing(
  sides: OpenSide[],
  asked: ProbeRequest,
  side: UnreachableSide,
  work: () => Promise<ProbeResponse>,
): Promise<ProbeResponse> {
  try {
    return await inTime(work(), asked.signal, graceMs, tooSlow);
  } catch (error) {
    const late = asked.signal.aborted ? tooSlow() : error;
    return {
      unreachable: [unreachableOf(late, { side, clean: asked.redactor.clean, fault: asked.fault })],
    };
  } finally {
    await end(sides, asked.signal);
  }
}

/** In order where a server lets that be; who waits for the answer does not wait for it. */
async function end(sides: OpenSide[], signal: AbortSignal): Promise<void> {
  const ended = Promise.all(sides.map(({ database }) => database.session.end()));
  await inTime(ended, signal, graceMs, () => new Error("a session did not end")).catch(() => undefined);
}
