import { compareTables } from "./checksum/index.ts";
import type { TableName } from "./checksum/side.ts";
import type { CopyHooks, CopyOptions, Endpoint, EngineError, InventoryEntry, Verification } from "./contract.ts";
import { printable } from "./postgres/names.ts";
import { createProgress } from "./progress.ts";
import { createSelection } from "./selection.ts";
import { createThrottle } from "./throttle.ts";
import { compareCounts } from "./verify/counts.ts";
import { compareFound, readFound, tableOf, typeWords } from "./verify/inventory.ts";
import { type Paired, pairTables } from "./verify/pairs.ts";
import { type Opened, type OpenedTable, openSide } from "./verify/sides.ts";

/**
 * Compares two databases, whoever copied the one to the other: which tables and objects are there, how many rows they
 * have, and their values. It only reads, and sees one state of each side.
 */
export interface VerifyRequest {
  source: Endpoint;
  target: Endpoint;
  /** Of CopyOptions, what concerns a comparison. `verify` is `checksum` where it is left out. */
  options: VerifyOptions;
}

export type VerifyOptions = Pick<
  CopyOptions,
  | "jobs"
  | "include"
  | "exclude"
  | "schemas"
  | "verify"
  | "bandwidth"
  | "zero_dates"
  | "statement_timeout"
  | "source_locks"
>;

export type VerifyHooks = Pick<CopyHooks, "signal" | "progress" | "log">;

export interface VerifyReport {
  source: { engine: string; version: string };
  target: { engine: string; version: string };
  startedAt: string;
  finishedAt: string;
  /** No table, column or row is missing or different. Objects that are not tables do not count: see the inventory. */
  equal: boolean;
  tables: { source: string; target: string; rows: { source: number; target: number } }[];
  /** Tables, and columns as `schema.table.column`, that the target lacks. */
  missing: string[];
  /** Tables that only the target has. */
  extra: string[];
  verification: Verification;
  inventory: InventoryEntry[];
  warnings: string[];
}

/** Differences are in the report, not an error. Errors: EngineError of either database, `option_unmatched`; the signal's reason. */
export async function verify(request: VerifyRequest, hooks: VerifyHooks): Promise<VerifyReport> {
  const startedAt = new Date().toISOString();
  const { options } = request;
  const stop = new AbortController();
  const signal = AbortSignal.any([hooks.signal, stop.signal]);
  const progress = createProgress(hooks.progress);
  progress.phase("connecting");
  const opening = {
    jobs: options.jobs,
    signal,
    locks: options.source_locks,
    statementTimeout: options.statement_timeout,
    giveUp: (error: EngineError) => stop.abort(error),
  };
  const opened = await Promise.allSettled([
    openSide(request.source, { role: "source", ...opening }),
    openSide(request.target, { role: "target", ...opening }),
  ]);
  try {
    const [source, target] = opened.map((side) => {
      if (side.status === "rejected") throw side.reason;
      return side.value;
    }) as [Opened, Opened];
    return await compare(request, hooks, { source, target, signal, progress, startedAt });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await Promise.all(opened.map((side) => (side.status === "fulfilled" ? side.value.close() : undefined)));
  }
}

interface Run {
  source: Opened;
  target: Opened;
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
  const warnings = source.warnings.map(printable);
  for (const warning of warnings) hooks.log("warning", warning);
  const selection = createSelection(options);
  selection.refuseUnmatched(source.tables.map(({ name: [schema, table] }) => ({ schema, table })));
  const selected = source.tables.filter(({ name }) => selection.has(...name));
  const paired: Paired = pairTables(
    { engine: from.engine, database: from.database, exact: source.exact, tables: selected },
    { engine: to.engine, database: to.database, exact: target.exact, tables: target.tables },
    options.schemas,
  );
  const words = (name: readonly string[]) => printable(name.join("."));
  const estimates = new Map(selected.map(({ name, type }) => [words(name), type.rows]));
  progress.plan(
    paired.pairs.map(({ source: name }) => ({ name: words(name), rows: estimates.get(words(name)) ?? 0, bytes: 0 })),
  );
  progress.phase("verifying");
  hooks.log("info", `Comparing ${paired.pairs.length} tables`);

  const level = options.verify ?? "checksum";
  const compared = new Map<string, number>();
  const shared = {
    jobs: options.jobs,
    signal,
    progress(table: string, rows: number) {
      compared.set(table, (compared.get(table) ?? 0) + rows);
      progress.add(table, rows, 0);
    },
  };
  const verification =
    level === "counts"
      ? await compareCounts(source.side, target.side, paired.pairs, shared)
      : await compareTables(source.side, target.side, paired.pairs, {
          ...shared,
          throttle: createThrottle(options.bandwidth, { now: () => performance.now(), signal }),
          rules: { ...(options.zero_dates === undefined ? {} : { zero_dates: options.zero_dates }) },
        });
  const inventory = await compareObjects(run, { from, to }, { paired, selected });
  for (const { source: table, keys, differing } of verification.differences)
    hooks.log("warning", `${table}: ${differing ?? `more than ${keys.length}`} rows differ`);
  for (const one of verification.uncompared) hooks.log("warning", `not compared: ${one}`);
  const missing = [...paired.missing.map(words), ...paired.columns.map(printable)];
  for (const one of missing) hooks.log("warning", `${one} is missing in the target`);
  const different = new Map(verification.differences.map((one) => [one.source, one.rows]));
  progress.phase("finished");
  return {
    source: { engine: source.engine, version: source.version },
    target: { engine: target.engine, version: target.version },
    startedAt,
    finishedAt: new Date().toISOString(),
    equal: missing.length === 0 && verification.differences.length === 0,
    tables: paired.pairs.map((pair) => {
      const rows = compared.get(words(pair.source)) ?? 0;
      return {
        source: words(pair.source),
        target: words(pair.target),
        rows: different.get(words(pair.source)) ?? { source: rows, target: rows },
      };
    }),
    missing,
    extra: paired.extra.map(words),
    verification,
    inventory,
    warnings,
  };
}

async function compareObjects(
  { source, target }: Run,
  { from, to }: { from: Endpoint; to: Endpoint },
  { paired, selected }: { paired: Paired; selected: readonly OpenedTable[] },
): Promise<InventoryEntry[]> {
  const [ours, theirs] = await Promise.all([
    readFound(source.side, from.database),
    readFound(target.side, to.database),
  ]);
  const renamed = new Map(paired.pairs.map((pair) => [tableOf(pair.source), pair.target]));
  const across = from.engine !== to.engine;
  const lost = new Set(paired.columns);
  // What stands on a table that is left out is left out too.
  const left = new Set(source.tables.flatMap((table) => (selected.includes(table) ? [] : [tableOf(table.name)])));
  const isSelected = ({ of }: { of?: TableName | undefined }) => of === undefined || !left.has(tableOf(of));
  // MySQL and MariaDB, which tell apart what each has alone, do not write all alike.
  const alike = source.engine === target.engine;
  // Details name other tables, as they are called on each side.
  const sameNames = paired.pairs.every(
    (pair) => pair.source[1] === pair.target[1] && (from.engine === "mysql" || pair.source[0] === pair.target[0]),
  );
  const outcome = across ? ("converted" as const) : ("copied" as const);
  const types = (side: Opened) => new Map(side.tables.map((table) => [tableOf(table.name), table.type.columns]));
  const [typesOf, typesThere] = [types(source), types(target)];
  const tables = paired.pairs.flatMap((pair): InventoryEntry[] => [
    { kind: "table", name: printable(pair.source.join(".")), outcome },
    ...pair.columns.map((column): InventoryEntry => {
      const entry = { kind: "column", name: printable(`${pair.source.join(".")}.${column.source}`) };
      const ours = typesOf.get(tableOf(pair.source))?.get(column.source);
      const theirs = typesThere.get(tableOf(pair.target))?.get(column.target);
      if (!alike || ours === undefined || theirs === undefined || typeWords(ours) === typeWords(theirs))
        return { ...entry, outcome };
      const note = `${typeWords(ours)} in the source, ${typeWords(theirs)} in the target`;
      return { ...entry, outcome: "reported", note: printable(note) };
    }),
  ]);
  const gone = (kind: string, name: string): InventoryEntry => ({
    kind,
    name: printable(name),
    outcome: "reported",
    note: `the target has no ${kind} of this name`,
  });
  return [
    ...tables,
    ...paired.missing.map((name) => gone("table", name.join("."))),
    ...[...lost].map((name) => gone("column", name)),
    ...compareFound(ours.filter(isSelected), theirs, renamed, { across, alike: alike && sameNames }).map((entry) => ({
      ...entry,
      name: printable(entry.name),
      ...(entry.note === undefined ? {} : { note: printable(entry.note) }),
    })),
  ];
}
