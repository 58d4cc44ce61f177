import { EngineError } from "../../engine/contract/index.ts";
import { identifier } from "../../engine/mysql/driver/names.ts";
import type { Session } from "../../engine/mysql/driver/session.ts";
import { readAgain } from "../../engine/mysql/source/read-again.ts";
import { insertHead, spareBytes, statementBytes } from "../../engine/mysql/target/insert.ts";
import type { TablePlan } from "../../engine/plan/mysql-mysql/tables/table-plan.ts";
import type { ArchivePart } from "../manifest-schema.ts";
import { type Writing, writePart } from "../parts.ts";
import { type SqlFile, sqlFileOf } from "./sql-file.ts";
import { createStatementPipe } from "./statement-pipe.ts";
import { historySetting, settings } from "./statements.ts";

/** One part of rows: those of a range of a table, or of several small tables, as INSERT statements in one transaction. */

export interface RowRange {
  plan: TablePlan;
  /** SQL after WHERE; undefined: all rows. */
  where: string | undefined;
}

/** The largest statement that any server can be set to take. */
const mostStatement = (1 << 30) - spareBytes;

const into = ({ name }: TablePlan) => `INSERT INTO ${identifier(name)}`;

/** Resolves to its entry of the manifest, and to the rows of each range. */
export async function writeRows(
  writing: Writing,
  reader: Session,
  name: string,
  ranges: readonly RowRange[],
): Promise<{ part: ArchivePart; counts: number[] }> {
  return readAgain(reader, async () => {
    const counts: number[] = [];
    const warned = { warnings: 0, columns: new Set<string>() };
    let longest = 0;
    const file = sqlFileOf(ranges.map(({ plan }) => insertHead(into(plan), plan.columns)));
    const statements = async function* (): AsyncGenerator<Buffer> {
      for (const setting of settings) yield Buffer.from(setting);
      if (ranges.some(({ plan }) => plan.history)) yield Buffer.from(historySetting);
      yield Buffer.from("START TRANSACTION");
      for (const range of ranges) {
        const read = { rows: 0, empty: 0 };
        yield* range.plan.columns.length === 0 ? emptyRows(reader, range, read) : insertsOf(reader, range, read);
        counts.push(read.rows);
        if (read.empty === 0) continue;
        warned.warnings += read.empty;
        for (const column of range.plan.enumerations) warned.columns.add(column);
      }
      yield Buffer.from("COMMIT");
    };
    const [first] = ranges;
    const part = await writePart(
      writing,
      { name, holds: "rows", ...(ranges.length === 1 && first ? { table: first.plan.name } : {}) },
      filed(file, statements(), (bytes) => {
        longest = Math.max(longest, bytes);
      }),
    );
    const { warnings, columns } = warned;
    const tolerated = warnings === 0 ? {} : { tolerated: { warnings, columns: [...columns] } };
    return { part: { ...part, longest, rows: counts.reduce((sum, rows) => sum + rows, 0), ...tolerated }, counts };
  });
}

async function* filed(
  { begin, end }: SqlFile,
  statements: AsyncIterable<Buffer>,
  wrote: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  yield begin;
  for await (const statement of statements) {
    wrote(statement.length);
    yield statement;
    yield end;
  }
}

interface Read {
  rows: number;
  /** Values that are in no list of their ENUM. */
  empty: number;
}

async function* insertsOf(reader: Session, { plan, where }: RowRange, read: Read): AsyncGenerator<Buffer> {
  const pipe = createStatementPipe(plan.kinds, {
    into: into(plan),
    columns: plan.columns,
    most: statementBytes,
    limit: mostStatement,
    tooLarge: (bytes) =>
      new EngineError(
        "row_too_large",
        `table ${plan.source.name}: a row of about ${bytes} bytes is larger than any server takes in one statement (1 GiB): it cannot be backed up`,
      ),
  });
  const sql = `${plan.select}${where === undefined ? "" : ` WHERE ${where}`}`;
  const streamed = reader.stream(sql, plan.kinds.length, pipe.rows).then(
    () => pipe.end(),
    (error: unknown) => pipe.end(error),
  );
  try {
    yield* pipe.statements;
  } finally {
    await streamed;
  }
  read.rows = pipe.rows.rows;
  read.empty = pipe.rows.empty;
}

/** Rows of a statement that names no column. */
const mostEmpty = 1000;

/** A table all of whose columns are computed. */
async function* emptyRows(reader: Session, { plan }: RowRange, read: Read): AsyncGenerator<Buffer> {
  const [[count] = []] = await reader.query(plan.select.replace(/^SELECT /, "SELECT COUNT(*)"));
  read.rows = Number(count);
  for (let left = read.rows; left > 0; left -= mostEmpty) {
    const values = Array.from({ length: Math.min(left, mostEmpty) }, () => "()").join(", ");
    yield Buffer.from(`${into(plan)} () VALUES ${values}`);
  }
}
