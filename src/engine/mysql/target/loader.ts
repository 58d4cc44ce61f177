import { EngineError } from "../../contract/index.ts";
import type { Blocks } from "../../run/memory/block-pool.ts";
import { packetHeader } from "../driver/wire.ts";

/**
 * Rows into a table of a MySQL target, as LOAD DATA text in blocks: fields end with a tab, rows with a line feed, NULL is
 * `\N`, and the bytes NUL, tab, line feed and backslash are written `\0`, `\t`, `\n` and `\\`, in every field that may
 * hold them. Nothing is converted: each field's bytes become the value in the column's own character set, so text has to
 * come in it. Sent by LOAD DATA LOCAL INFILE, from memory; by INSERT where the server does not allow that.
 */

/** Where rows start in a block: the packet's header comes first. */
export const blockStart = packetHeader;

export interface LoadColumn {
  name: string;
  /**
   * SQL of what the column is given, made of SQL that has the field's bytes as a binary string, as in
   * ``(field) => `UNHEX(SUBSTR(${field}, 3))` ``; the field itself without.
   */
  value?: ((field: string) => string) | undefined;
}

export interface LoadTarget {
  database: string;
  table: string;
  columns: readonly LoadColumn[];
  /** By INSERT, whatever the server allows: LOAD DATA does not know every column (MariaDB's hidden ROW_START). */
  inserts?: boolean | undefined;
}

export interface Loader extends Blocks {
  /**
   * Ends the rows, of which there were so many. Errors: `data_refused` when a row was skipped or the server warned of
   * anything, but for as many warnings as `tolerated` says, all of the number 1265 and of the columns that it names, and for
   * words of the statement that are deprecated.
   */
  finish(rows: number, tolerated?: { warnings: number; columns: readonly string[] }): Promise<void>;
  /** Gives up between two blocks; the transaction is then only good for ROLLBACK. Never rejects. */
  abort(): Promise<void>;
}

const tooLarge = "1301";
/** Of a word in the statement, such as utf8mb3, and of no value. */
const deprecated = "1287";
/** Warnings that are told of in an error. */
const told = 5;

/** Rows that the target skipped or changed, `data_refused`. */
export class RefusedRows extends EngineError {
  /** The server's numbers, as in SHOW WARNINGS. */
  readonly warnings: readonly number[];
  constructor(message: string, warnings: readonly number[]) {
    super("data_refused", message);
    this.warnings = warnings;
  }
}

/** Errors: `data_refused`, with the server's own words for the first warnings. */
export async function checkLoaded(
  session: { query(sql: string): Promise<readonly (readonly (string | null)[])[]> },
  { rows, affected, warnings }: { rows: number; affected: number; warnings: number },
  tolerated: { warnings: number; columns: readonly string[] } = { warnings: 0, columns: [] },
): Promise<void> {
  if (affected === rows && warnings === 0) return;
  const shown = await session.query("SHOW WARNINGS");
  const mild = ([, number, words]: readonly (string | null)[]) =>
    number === "1265" && tolerated.columns.some((column) => (words ?? "").includes(`'${column}'`));
  const deprecations = shown.filter(([, number]) => number === deprecated).length;
  const harmless = (warning: readonly (string | null)[]) => warning[1] === deprecated || mild(warning);
  if (affected === rows && warnings - deprecations === tolerated.warnings && shown.every(harmless)) return;
  const said = shown
    .filter((warning) => !harmless(warning))
    .slice(0, told)
    .map(([, number, words]) => `${(words ?? "").slice(0, 200)} (${number})`);
  // A value that went through a function: max_allowed_packet bounds its result.
  if (shown.some(([, number]) => number === tooLarge))
    throw new EngineError(
      "row_too_large",
      `a value is larger than the target's max_allowed_packet: raise it there and retry (${said.join("; ")})`,
    );
  throw new RefusedRows(
    `the target took ${affected} of ${rows} rows, with ${warnings} warnings${said.length > 0 ? `: ${said.join("; ")}` : ""}`,
    shown.map(([, number]) => Number(number)),
  );
}
