import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { workOff } from "../../run/pool.ts";
import type { ProgressAccount } from "../../run/progress.ts";
import { type Check, countedWords, reason } from "./types.ts";

/**
 * Looks at the values of columns that may not fit, in the source's snapshot and before a row is written: one statement for each
 * part of a table that has such a column, and none for other tables.
 */

/** A column whose values may not fit. */
export interface Doubt {
  column: string;
  /** Of the source and the target, as their servers write them. */
  types: readonly [from: string, to: string];
  /** For each check, in the words of the source's server: true for a value that does not pass. */
  misfits: readonly { check: Check; sql: string }[];
}

/** A table with such columns. */
export interface Doubtful<Reader> {
  /** As messages name it. */
  table: string;
  bytes: number;
  /** `SELECT `, with what the server has to know of it. */
  select: string;
  /** Each a `FROM …`, with its WHERE where it is a part. */
  parts(reader: Reader): Promise<readonly string[]>;
  doubts: readonly Doubt[];
}

export interface Looking<Reader> {
  readers: readonly Reader[];
  /** The one row of a statement. */
  count(reader: Reader, sql: string): Promise<readonly number[]>;
  /** An answer has come: nothing hangs. */
  touch(): void;
  /** These many bytes of tables are to be looked at. */
  begins?(bytes: number): void;
  /** And these were. */
  did?(bytes: number): void;
}

/** Counts them as the progress of its phase, until the share `upTo` of it is done. */
export const looking = (
  progress: Pick<ProgressAccount, "touch" | "stage" | "did">,
  upTo: number,
): Pick<Looking<never>, "touch" | "begins" | "did"> => ({
  touch: () => progress.touch(),
  begins: (bytes) => progress.stage(upTo, bytes),
  did: (bytes) => progress.did(bytes),
});

/** Columns that an error names. */
const most = 10;

const isCounted = (check: Check) => countedWords(check, 1) !== undefined;

/** Only what is counted and not refused, as of rows that are already there. */
export const writtenAlone = (doubts: readonly Doubt[]): Doubt[] =>
  doubts.flatMap((doubt) => {
    const misfits = doubt.misfits.filter(({ check }) => isCounted(check));
    return misfits.length === 0 ? [] : [{ ...doubt, misfits }];
  });

const refusedAlone = (doubts: readonly Doubt[]): Doubt[] =>
  doubts.flatMap((doubt) => {
    const misfits = doubt.misfits.filter(({ check }) => !isCounted(check));
    return misfits.length === 0 ? [] : [{ ...doubt, misfits }];
  });

/**
 * Words for each column with values that the target's type writes otherwise.
 * Errors: `data_refused` with each column that has values which do not fit, and their number.
 */
export async function refuseMisfits<Reader>(
  tables: readonly Doubtful<Reader>[],
  { log, ...looking }: Looking<Reader> & { log(message: string): void },
): Promise<string[]> {
  const columns = tables.flatMap(({ table, doubts }) => doubts.map((doubt) => `${table}.${words(doubt)}`));
  if (columns.length === 0) return [];
  log(
    printable(
      `values are compared with the target's types before they are copied: ${columns.slice(0, most).join(", ")}${columns.length > most ? ` and ${columns.length - most} more columns` : ""}`,
    ),
  );
  const apart = tables.map((table) => ({
    ...table,
    doubts: [...refusedAlone(table.doubts), ...writtenAlone(table.doubts)],
  }));
  const found = await countMisfits(apart, looking);
  const wordsOf = ({ doubt, all }: Misfits) => {
    const check = doubt.misfits[0]?.check;
    return check === undefined ? undefined : countedWords(check, all);
  };
  const refused = found.flatMap((misfits) => {
    if (wordsOf(misfits) !== undefined) return [];
    const { table, doubt, all, each } = misfits;
    const why = doubt.misfits.flatMap(({ check }, at) => ((each[at] ?? 0) > 0 ? [reason(check)] : []));
    const values = `${all} ${all === 1 ? "value does" : "values do"} not fit`;
    return `table ${table}, column ${words(doubt)}: ${values} (${[...new Set(why)].join("; ")})`;
  });
  if (refused.length === 0)
    return found.map((misfits) => `column ${misfits.table}.${words(misfits.doubt)}: ${wordsOf(misfits)}`);
  throw new EngineError(
    "data_refused",
    `nothing was written: ${printable(refused.slice(0, most).join("; "))}${refused.length > most ? `; and ${refused.length - most} more columns` : ""}; widen these types, or correct the values in the source`,
  );
}

/** Values of a column that do not pass; `each`: by check. */
interface Misfits {
  table: string;
  doubt: Doubt;
  all: number;
  each: readonly number[];
}

/** The columns that have any. */
export async function countMisfits<Reader>(
  tables: readonly Doubtful<Reader>[],
  { readers, count, touch, begins, did }: Looking<Reader>,
): Promise<Misfits[]> {
  const doubtful = tables.filter(({ doubts }) => doubts.length > 0);
  begins?.(doubtful.reduce((sum, { bytes }) => sum + bytes, 0));
  const found = new Map<Doubt, number[]>();
  const look =
    ({ doubts, select }: Doubtful<Reader>, from: string, bytes: number) =>
    async (reader: Reader): Promise<void> => {
      const conditions = doubts.flatMap(({ misfits }) => [anyOf(misfits), ...misfits.map(({ sql }) => sql)]);
      // Names of their own, for a driver that answers by name.
      const counts = conditions.map((sql, at) => `COUNT(CASE WHEN ${sql} THEN 1 END) AS n${at}`);
      const row = [...(await count(reader, `${select}${counts.join(", ")} ${from}`))];
      touch();
      did?.(bytes);
      for (const doubt of doubts) {
        const own = row.splice(0, doubt.misfits.length + 1);
        found.set(
          doubt,
          own.map((number, at) => number + (found.get(doubt)?.[at] ?? 0)),
        );
      }
    };
  await workOff(
    readers,
    doubtful.map((table) => ({
      weight: table.bytes,
      async run(reader: Reader) {
        const parts = await table.parts(reader);
        const weight = table.bytes / parts.length;
        return parts.map((from) => ({ weight, run: look(table, from, weight) }));
      },
    })),
  );
  return doubtful.flatMap(({ table, doubts }) =>
    doubts.flatMap((doubt) => {
      const [all = 0, ...each] = found.get(doubt) ?? [];
      return all === 0 ? [] : [{ table, doubt, all, each }];
    }),
  );
}

const words = ({ column, types: [from, to] }: Doubt) => `${column} (${from} → ${to})`;

/** A value that fails two checks is one value. */
const anyOf = (misfits: Doubt["misfits"]) => misfits.map(({ sql }) => `(${sql})`).join(" OR ");
