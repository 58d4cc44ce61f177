import { type CopyOptions, EngineError, type TableDifference, type Verification } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { engineError as mysqlError } from "../../mysql/driver/errors.ts";
import { engineError as postgresError } from "../../postgres/driver/errors.ts";
import { type Task, workOff } from "../../run/pool.ts";
import type { Throttle } from "../../run/throttle.ts";
import { createDialect, type Hash } from "./dialect.ts";
import { type ComparedForm, type Expression, mysqlIntegers, postgresIntegers } from "./expressions.ts";
import { comparedForm, type Encodings, type NamedColumn } from "./forms.ts";
import { formatTable } from "./messages.ts";
import type { TableName } from "./rows.ts";
import { hasMd5, readBoth, readersOf, type SideSessions } from "./side.ts";
import { splitSide } from "./split.ts";
import {
  type ComparedPart,
  type ComparedSums,
  comparedParts,
  comparePart,
  equal,
  findDifference,
  mergeSums,
  type ReaderPair,
  type TableWork,
} from "./table.ts";
import { encodingOf } from "./table-checksums.ts";
import { createHalf } from "./table-side.ts";
import { type ColumnType, type TableType, tableKey } from "./types.ts";

export type { TableName } from "./rows.ts";
export type { SideSessions } from "./side.ts";

export interface TablePair {
  source: TableName;
  target: TableName;
  columns: readonly { source: string; target: string }[];
  /** Columns of the source by which its rows are known; its primary key (or the target's), where it is left out. */
  key?: readonly string[];
}

export interface CompareOptions {
  /** Tables, or parts of one, at the same time; each takes a session on either side. */
  jobs: number;
  signal: AbortSignal;
  /** Rows of a table that were compared just now. */
  progress?: (table: string, rows: number) => void;
  /** Of bytes that are read here; what the servers hash by themselves costs none. */
  throttle?: Throttle;
  /** Keys that are named for a table, at most; 0: only whether it differs is asked. 20. */
  maxKeys?: number;
  /** Rows that one statement adds up, about; larger tables are shared by the streams. 500,000. */
  partRows?: number;
  /** The target has no index yet by which a range of a key is read: each side is split in its own way. */
  indexless?: boolean;
  rules?: Pick<CopyOptions, "zero_dates">;
}

const usualPartRows = 500_000;

/**
 * Compares tables by the hashes of their rows' canonical values, the copy's conversions taken into account: on the
 * servers where both can write a type alike, here where not. Nothing is written on either side, and memory is bounded.
 * Differences are not errors: they are in the answer, with keys at most. Errors: EngineError; the signal's reason.
 */
export async function compareTables(
  source: SideSessions,
  target: SideSessions,
  pairs: readonly TablePair[],
  {
    jobs,
    signal,
    progress,
    throttle,
    maxKeys = 20,
    partRows = usualPartRows,
    indexless = false,
    rules = {},
  }: CompareOptions,
): Promise<Verification> {
  const [sources, targets] = await readBoth(source, target, pairs);
  const encodings = { source: await encodingOf(source), target: await encodingOf(target) };
  const readers = { source: readersOf(source, throttle), target: readersOf(target, throttle) };
  const hash: Hash = (await hasMd5(source)) && (await hasMd5(target)) ? "md5" : "sha256";
  const uncompared: string[] = [];
  const differences: TableDifference[] = [];
  let rows = 0;

  const works: TableWork[] = [];
  for (const pair of pairs) {
    const label = { source: formatTable(pair.source), target: formatTable(pair.target) };
    const [from, to] = [sources.get(tableKey(...pair.source)), targets.get(tableKey(...pair.target))];
    if (from === undefined || to === undefined) {
      const gone = from === undefined ? `${label.source} is not in the source` : `${label.target} is not in the target`;
      throw new EngineError("table_missing", `table ${gone}: it was dropped, or the user may not see it`);
    }
    works.push(planTable({ pair, label, from, to, source, target, encodings, hash, rules, indexless, uncompared }));
  }

  const count = Math.max(1, Math.min(jobs, readers.source.length, readers.target.length));
  const workers = Array.from(
    { length: count },
    (_, at) => ({ source: readers.source[at], target: readers.target[at] }) as ReaderPair,
  );
  const tasks = works.map((work) =>
    tableTask(work, { maxKeys, partRows, signal }, (done, difference) => {
      progress?.(work.source.label, done);
      rows += done;
      if (difference !== undefined) differences.push(difference);
    }),
  );
  try {
    await workOff(workers, tasks);
  } catch (error) {
    signal.throwIfAborted();
    throw asEngineError(error, source);
  }
  differences.sort((a, b) => (a.source < b.source ? -1 : 1));
  return { level: "checksum", rows, tables: pairs.length, differences, uncompared };
}

interface Planning {
  pair: TablePair;
  label: { source: string; target: string };
  from: TableType;
  to: TableType;
  source: SideSessions;
  target: SideSessions;
  encodings: Encodings;
  hash: Hash;
  rules: Pick<CopyOptions, "zero_dates">;
  indexless: boolean;
  /** Added to. */
  uncompared: string[];
}

function planTable({
  pair,
  label,
  from,
  to,
  source,
  target,
  encodings,
  hash,
  rules,
  indexless,
  uncompared,
}: Planning): TableWork {
  const forms = new Map<string, ComparedForm>();
  const named = (table: TableType, name: string): NamedColumn | undefined => {
    const type = table.columns.get(name);
    return type === undefined ? undefined : { name, type };
  };
  for (const column of pair.columns) {
    const [one, other] = [named(from, column.source), named(to, column.target)];
    const form =
      one === undefined || other === undefined
        ? { uncompared: `the column is not in the ${one === undefined ? "source" : "target"}` }
        : comparedForm(one, other, encodings, hash, rules);
    if ("uncompared" in form) uncompared.push(printable(`${label.source}.${column.source}: ${form.uncompared}`));
    else forms.set(column.source, form);
  }
  const sourceOf = new Map(pair.columns.map((column) => [column.target, column.source]));
  const targetOf = new Map(pair.columns.map((column) => [column.source, column.target]));
  const usable = (columns: readonly (string | undefined)[] | undefined): columns is readonly string[] =>
    columns !== undefined &&
    columns.length > 0 &&
    columns.every(
      (column) => column !== undefined && forms.has(column) && forms.get(column)?.canonicalForm === undefined,
    );
  const candidates = [pair.key, from.key, to.key?.map((column) => sourceOf.get(column))];
  const key = candidates.find(usable) ?? [];
  const [first] = key;
  const integer = (type: ColumnType | undefined) =>
    type !== undefined && (type.engine === "mysql" ? mysqlIntegers.has(type.name) : postgresIntegers.has(type.name));
  const second = first === undefined ? undefined : targetOf.get(first);
  const ranged =
    !indexless &&
    first !== undefined &&
    second !== undefined &&
    integer(from.columns.get(first)) &&
    integer(to.columns.get(second));
  const half = (side: "source" | "target", { engine }: SideSessions, name: TableName, table: TableType) => {
    const { partitioned, storage } = table;
    const lead = table.key?.[0] === undefined ? undefined : named(table, table.key[0]);
    const dialect = createDialect(engine, hash);
    const own = [...forms].map(([column, form]) => {
      const type = side === "source" ? from.columns.get(column) : to.columns.get(targetOf.get(column) ?? "");
      const piece = ({ args, nulls }: Expression) => ({ args, nullable: nulls === true || type?.nullable !== false });
      return {
        column,
        canonicalForm: form.canonicalForm,
        ...form[side],
        ...piece(form[side]),
        fast: piece((form.fast ?? form)[side]),
      };
    });
    const leading = side === "source" ? first : second;
    return createHalf({
      name,
      locked: table.lockable ? name : undefined,
      partitioned,
      storage,
      dialect,
      pieces: own.filter(({ canonicalForm }) => canonicalForm === undefined),
      streamed: own.flatMap(({ canonicalForm, args: [sql] }) =>
        canonicalForm === undefined || sql === undefined ? [] : [{ sql, canonicalForm }],
      ),
      fast: own.map(({ fast }) => fast),
      key: key.map((column) => own.find((one) => one.column === column) as (typeof own)[number]),
      ranged: ranged && leading !== undefined ? dialect.identifier(leading) : undefined,
      split: async (reader, parts, rows) =>
        (
          await splitSide(engine, reader, { name, partitioned, select: dialect.select(storage), lead }, parts, rows)
        ).map((where) => ({ where })),
    });
  };
  return {
    source: { half: half("source", source, pair.source, from), label: label.source },
    target: { half: half("target", target, pair.target, to), label: label.target },
    key,
    rows: Math.max(from.rows, to.rows),
    ranged,
    fast:
      [...forms.values()].every(({ canonicalForm, fast }) => canonicalForm === undefined || fast !== undefined) &&
      [...forms.values()].some(({ fast }) => fast !== undefined),
  };
}

/** Finds the parts, which are tasks of their own; the last one that ends looks into what differs. */
function tableTask(
  work: TableWork,
  { maxKeys, partRows, signal }: { maxKeys: number; partRows: number; signal: AbortSignal },
  done: (rows: number, difference: TableDifference | undefined) => void,
): Task<ReaderPair> {
  const round = (parts: readonly ComparedPart[], again: boolean): Task<ReaderPair>[] => {
    const apart = work.ranged || parts.length === 1;
    const fast = work.fast && !again;
    const results: ComparedSums[] = [];
    const compareOne = async (pair: ReaderPair, part: ComparedPart) => {
      const quick = fast && work.fast;
      const result = await pair.source.again(() => comparePart(work, pair, part, quick));
      if (!quick || !apart || equal(result.source, result.target)) return result;
      work.fast = false;
      return pair.source.again(() => comparePart(work, pair, part, false));
    };
    const runPart = async (pair: ReaderPair, part: ComparedPart): Promise<Task<ReaderPair>[]> => {
      signal.throwIfAborted();
      const result = await compareOne(pair, part);
      results.push(result);
      const rows = again ? 0 : result.source.rows;
      if (results.length < parts.length) {
        done(rows, undefined);
        return [];
      }
      const all = apart ? results : [mergeSums(results)];
      if (!apart && fast && all.some(({ source, target }) => !equal(source, target))) {
        done(rows, undefined);
        return round(parts, true);
      }
      done(rows, await pair.source.again(() => findDifference(work, pair, all, maxKeys)));
      return [];
    };
    return parts.map((part) => ({
      weight: work.rows / parts.length,
      run: (pair) => readingBoth(work, pair, (both) => runPart(both, part)),
    }));
  };
  return {
    weight: work.rows,
    async run(readers) {
      signal.throwIfAborted();
      return round(await readingBoth(work, readers, (both) => comparedParts(work, both, partRows)), false);
    },
  };
}

const readingBoth = <T>(work: TableWork, pair: ReaderPair, task: (pair: ReaderPair) => Promise<T>): Promise<T> =>
  pair.source.reading(work.source.half.locked, (source) =>
    pair.target.reading(work.target.half.locked, (target) => task({ source, target })),
  );

function asEngineError(error: unknown, source: SideSessions): EngineError {
  if (error instanceof EngineError) return error;
  const [session] = source.sessions;
  if (session === undefined) return new EngineError("database_error", String(error), { cause: error });
  return source.engine === "mysql" ? mysqlError(error, session.place) : postgresError(error, session.place);
}
