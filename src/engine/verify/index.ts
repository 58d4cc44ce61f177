import { counted } from "../../guard/text.ts";
import type { CopyHooks, Endpoint, InventoryEntry, Verification } from "../contract/index.ts";
import type { EngineName } from "../contract/text/engine-name.ts";
import { printable } from "../contract/text/printable.ts";
import { strayBytesOf } from "../plan/fits/compared-stray.ts";
import { type PartitionTree, partitionRoots } from "../postgres/catalogue/partition-roots.ts";
import { requireJobs } from "../run/jobs.ts";
import { createProgress } from "../run/progress.ts";
import { createSelection } from "../run/selection.ts";
import { createThrottle } from "../run/throttle.ts";
import { reportLockWaits } from "../run/watchdog/lock-waits.ts";
import { compareTables } from "./checksum/index.ts";
import { formatTable } from "./checksum/messages.ts";
import type { SideSessions } from "./checksum/side.ts";
import type { ObjectsCompared, VerifyOptions } from "./comparing.ts";
import { compareCounts } from "./counts.ts";
import { lostDigits } from "./lost-digits.ts";
import { compareObjects } from "./objects.ts";
import { type Paired, pairTables } from "./pairs.ts";
import { type OpenedSide, openSide } from "./sides.ts";
import { refuseUnreadable } from "./unreadable.ts";

/**
 * Compares two databases, whoever copied the one to the other: which tables and objects are there, how many rows they
 * have, and their values. It only reads, and sees one state of each side.
 */
export interface VerifyRequest {
  source: Endpoint;
  target: Endpoint;
  options: VerifyOptions;
}

export type { VerifyOptions } from "./comparing.ts";

export type VerifyHooks = Pick<CopyHooks, "signal" | "progress" | "log">;

export interface VerifyReport {
  source: { engine: EngineName; version: string };
  target: { engine: EngineName; version: string };
  started_at: string;
  finished_at: string;
  /** No table, column or row is missing or different, nor is another object: across engines of those that a copy makes. */
  equal: boolean;
  tables: { source: string; target: string; rows: { source: number; target: number } }[];
  /** Tables, and columns as `schema.table.column`, that the target lacks. */
  missing: string[];
  /** Tables that only the target has. */
  extra: string[];
  verification: Verification;
  inventory: InventoryEntry[];
  objects: ObjectsCompared["objects"];
  warnings: string[];
}

/** Differences are in the report, not an error. Errors: EngineError of either database, `option_unmatched`; the signal's reason. */
export const verify = (request: VerifyRequest, hooks: VerifyHooks): Promise<VerifyReport> =>
  // Warnings of a verification are findings, and this is none.
  reportLockWaits(
    (_, words) => hooks.log("info", words),
    () => verifyOpened(request, hooks),
  );

async function verifyOpened(request: VerifyRequest, hooks: VerifyHooks): Promise<VerifyReport> {
  const startedAt = new Date().toISOString();
  const { options } = request;
  requireJobs(options);
  const stop = new AbortController();
  const signal = AbortSignal.any([hooks.signal, stop.signal]);
  const progress = createProgress(hooks.progress, undefined, { verifiesOnly: true });
  progress.phase("connecting");
  const opening = {
    jobs: options.jobs,
    signal,
    locks: options.source_locks,
    statementTimeout: options.statement_timeout,
    blockingTimeout: options.blocking_timeout,
    giveUp: (error: unknown) => stop.abort(error),
  };
  const opened = await Promise.allSettled([
    openSide(request.source, { role: "source", ...opening }),
    openSide(request.target, { role: "target", ...opening }),
  ]);
  try {
    const [source, target] = opened.map((side) => {
      if (side.status === "rejected") throw side.reason;
      return side.value;
    }) as [OpenedSide, OpenedSide];
    return await compare(request, hooks, { source, target, signal, progress, startedAt });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await Promise.all(opened.map((side) => (side.status === "fulfilled" ? side.value.close() : undefined)));
  }
}

interface Run {
  source: OpenedSide;
  target: OpenedSide;
  signal: AbortSignal;
  progress: ReturnType<typeof createProgress>;
  startedAt: string;
}

async function compare(
  { source: from, target: to, options }: VerifyRequest,
  hooks: VerifyHooks,
  run: Run,
): Promise<VerifyReport> {
  const { source, target, signal, progress, startedAt } = run;
  const selection = createSelection(options);
  const named = [...source.tables.map(({ name }) => name), ...source.views];
  selection.refuseUnmatched(named.map(([schema, table]) => ({ schema, table })));
  const selected = source.tables.filter(({ name }) => selection.has(...name));
  const trees = await partitionTrees(source.side, target.side);
  const pair = (tables: OpenedSide["tables"]): Paired =>
    pairTables(
      { engine: from.engine, database: from.database, exact: source.exact, tables },
      { engine: to.engine, database: to.database, exact: target.exact, tables: target.tables },
      options.schemas,
      trees,
    );
  // A table that the selection leaves out is not only in the target.
  const paired: Paired = { ...pair(selected), extra: pair(source.tables).extra };
  const unread = refuseUnreadable(
    { role: "source", endpoint: from, opened: source },
    { role: "target", endpoint: to, opened: target },
    paired,
  );
  const warnings = [...source.warnings, ...target.warnings, ...unread].map(printable);
  for (const warning of warnings) hooks.log("warning", warning);
  const estimates = new Map(selected.map(({ name, type }) => [formatTable(name), type.rows]));
  progress.plan(
    paired.pairs.map(({ source: name }) => ({
      name: formatTable(name),
      rows: estimates.get(formatTable(name)) ?? 0,
      bytes: 0,
    })),
  );
  progress.phase("verifying");
  hooks.log("info", `Comparing ${counted(paired.pairs.length, "table")}`);

  const level = options.verify ?? "checksum";
  const compared = new Map<string, number>();
  const shared = {
    jobs: options.jobs,
    signal,
    progress(table: string, rows: number) {
      compared.set(table, (compared.get(table) ?? 0) + rows);
      progress.add(table, rows, 0);
      progress.compared(rows);
    },
  };
  const verification =
    level === "counts"
      ? await compareCounts(source.side, target.side, paired.pairs, shared)
      : await compareTables(source.side, target.side, paired.pairs, {
          ...shared,
          throttle: createThrottle(options.bandwidth, { signal }),
          rules: { ...(options.zero_dates === undefined ? {} : { zero_dates: options.zero_dates }) },
        });
  if (level === "checksum" && source.side.engine === "mysql")
    verification.uncompared.push(
      ...(await strayBytesOf(
        source.side.sessions,
        paired.pairs,
        { source: selected, target: target.tables },
        () => undefined,
      )),
    );
  const comparing = { source, target, from, to, options, paired, selected };
  if (level === "checksum") verification.uncompared.push(...(await lostDigits(comparing, signal)));
  for (const pair of paired.pairs) {
    progress.settle(formatTable(pair.source), compared.get(formatTable(pair.source)) ?? 0);
    progress.state(formatTable(pair.source), "done");
  }
  const { inventory, objects, extra } = await compareObjects(comparing);
  for (const difference of verification.differences) hooks.log("warning", differenceMessage(difference));
  for (const one of verification.uncompared) hooks.log("warning", `not compared: ${one}`);
  // What the target's server cannot have is told with the objects.
  const excused = new Set(
    inventory.flatMap(({ kind, name, outcome }) => (kind === "column" && outcome === "not_applicable" ? [name] : [])),
  );
  const missing = [
    ...paired.missing.map(formatTable),
    ...paired.columns.map(printable).filter((name) => !excused.has(name)),
  ];
  for (const one of missing) hooks.log("warning", `${one} is missing in the target`);
  for (const { kind, name, outcome, note } of inventory)
    if (outcome === "reported" && !missing.includes(name)) hooks.log("warning", `${kind} ${name}: ${note}`);
  const different = new Map(verification.differences.map((one) => [one.source, one.rows]));
  progress.phase("finished");
  return {
    source: { engine: source.engine, version: source.version },
    target: { engine: target.engine, version: target.version },
    started_at: startedAt,
    finished_at: new Date().toISOString(),
    equal: missing.length === 0 && verification.differences.length === 0 && objects.different === 0,
    tables: paired.pairs.map((pair) => {
      const rows = compared.get(formatTable(pair.source)) ?? 0;
      return {
        source: formatTable(pair.source),
        target: formatTable(pair.target),
        rows: different.get(formatTable(pair.source)) ?? { source: rows, target: rows },
      };
    }),
    missing,
    extra: extra.map(formatTable),
    verification,
    inventory,
    objects,
    warnings,
  };
}

async function partitionTrees(source: SideSessions, target: SideSessions): Promise<PartitionTree[]> {
  if (source.engine !== "postgres" || target.engine !== "postgres") return [];
  const [from] = source.sessions;
  const [to] = target.sessions;
  return from === undefined || to === undefined ? [] : partitionRoots(from, to);
}

function differenceMessage({ source, keys, rows, differing }: Verification["differences"][number]): string {
  if (differing !== undefined)
    return `${source}: ${counted(differing, "row")} ${differing === 1 ? "differs" : "differ"}`;
  if (rows.source !== rows.target)
    return `${source}: ${counted(rows.source, "row")} in the source, ${rows.target} in the target`;
  return `${source}: ${keys.length === 0 ? "its" : `more than ${keys.length}`} rows differ`;
}
