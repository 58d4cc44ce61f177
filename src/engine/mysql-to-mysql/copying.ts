import { EngineError } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { openLoader } from "../mysql/load.ts";
import type { Pool } from "../mysql/loader.ts";
import { qualified } from "../mysql/names.ts";
import { markOwnRows } from "../mysql/own-rows.ts";
import type { RowSink, Session } from "../mysql/session.ts";
import type { Part } from "../mysql/split.ts";
import type { Throttle } from "../throttle.ts";
import type { TablePlan } from "./plan.ts";
import { createRowEncoder, type RowEncoder } from "./rows.ts";

/** Parts of tables: rows of the snapshot → LOAD DATA, in one transaction that also marks the part as done. */
export interface PartWork {
  plan: TablePlan;
  /** Of the target. */
  database: string;
  part: Part;
  reader: Session;
  writer: Session;
  fence: MysqlFence;
  pool: Pool;
  throttle: Throttle;
  /** The table is empty and this is its only part: nobody else writes to it. */
  alone: boolean;
  /** The table is not the run's: which of its rows are is written down. */
  present: boolean;
  /** Marks what is done in the part's own transaction: the part, or the whole table. */
  mark(rows: number): Promise<void>;
  /** Rows and bytes since the last call. */
  progress(rows: number, bytes: number): void;
}

/** Below this, MariaDB's sorting of the rows of an empty table costs more than it saves. */
const bulkBytes = 1 << 20;

/** Errors name the table. */
export async function copyPart(work: PartWork): Promise<void> {
  const { plan, writer } = work;
  const bulk = work.alone && writer.server.maria && plan.source.dataBytes >= bulkBytes;
  // MariaDB then sorts the rows of an empty table and fills it from the sorted; it holds the table as long.
  if (bulk) await writer.run("SET SESSION unique_checks = 0");
  if (plan.history) await writer.run("SET SESSION system_versioning_insert_history = 1");
  await copyTogether(writer, work.fence, [work]);
  if (bulk) await writer.run("SET SESSION unique_checks = 1");
  if (plan.history) await writer.run("SET SESSION system_versioning_insert_history = 0");
}

/** Row bytes after which a transaction of several tables ends: a source's statistics may call a large table small. */
const togetherBytes = 4 << 20;

/**
 * In one transaction where they are as small as was thought, so that they do not each wait for the disk. None is of rows
 * of the past. Errors name the table.
 */
export async function copyTogether(writer: Session, fence: MysqlFence, works: readonly PartWork[]): Promise<void> {
  let open: PartWork[] = [];
  let bytes = 0;
  const commit = async () => {
    const [first] = open;
    await writer.run("COMMIT").catch((error: unknown) => {
      throw open.length === 1 && first !== undefined ? named(error, first.plan.source.name) : error;
    });
    open = [];
    bytes = 0;
  };
  for (const work of works) {
    if (open.length === 0) {
      await writer.run("START TRANSACTION");
      await fence.guard(writer);
    }
    open.push(work);
    const loaded = await (work.plan.columns.length === 0 ? fillEmpty(work) : loadRows(work)).catch((error: unknown) => {
      throw named(error, work.plan.source.name);
    });
    const { database, plan, part } = work;
    if (work.present)
      await markOwnRows(writer, fence, { name: [database, plan.name], rows: loaded.rows, where: part.where });
    await work.mark(loaded.rows);
    bytes += loaded.bytes;
    if (bytes > togetherBytes) await commit();
  }
  if (open.length > 0) await commit();
}

type Loaded = Pick<RowEncoder, "rows" | "bytes">;

async function loadRows(work: PartWork): Promise<Loaded> {
  const { plan, database, part, reader, writer, pool } = work;
  const { name: table, columns, inserts } = plan;
  const where = part.where === undefined ? "" : ` WHERE ${part.where}`;
  const loader = await openLoader(writer, { database, table, columns, inserts }, pool);
  const encoder = createRowEncoder(plan.kinds, loader);
  await reader.stream(plan.select + where, plan.kinds.length, watched(encoder, work));
  encoder.finish();
  await loader.finish(encoder.rows, { warnings: encoder.empty, columns: plan.enumerations });
  return encoder;
}

/** Rows of a statement of VALUES that name no column. */
const emptyRows = 1000;

/** A table all of whose columns are computed: only the number of its rows is copied. */
async function fillEmpty({ plan, database, reader, writer }: PartWork): Promise<Loaded> {
  const [[count] = []] = await reader.query(plan.select.replace(/^SELECT /, "SELECT COUNT(*)"));
  const rows = Number(count);
  for (let left = rows; left > 0; left -= emptyRows) {
    const values = Array.from({ length: Math.min(left, emptyRows) }, () => "()").join(", ");
    await writer.run(`INSERT INTO ${qualified(database, plan.name)} () VALUES ${values}`);
  }
  return { rows, bytes: 0 };
}

function watched(encoder: ReturnType<typeof createRowEncoder>, { throttle, progress }: PartWork): RowSink {
  let rows = 0;
  let bytes = 0;
  let owed: Promise<void> | undefined;
  return {
    get ended() {
      return encoder.ended;
    },
    room() {
      const room = encoder.room();
      if (owed === undefined) return room;
      const both = Promise.all([owed, room]).then(() => undefined);
      owed = undefined;
      return both;
    },
    take(buffer, start, end) {
      const at = encoder.take(buffer, start, end);
      progress(encoder.rows - rows, encoder.bytes - bytes);
      owed = throttle.take(encoder.bytes - bytes);
      rows = encoder.rows;
      bytes = encoder.bytes;
      return at;
    },
  };
}

/** Errors of the data itself say which table they are about. */
function named(error: unknown, table: string): unknown {
  if (!(error instanceof EngineError) || (error.code !== "database_error" && error.code !== "data_refused"))
    return error;
  if (error.message.startsWith("table ")) return error;
  return new EngineError("data_refused", `table ${table}: ${error.message}`, { cause: error });
}
