import { EngineError } from "../contract.ts";
import type { Fence } from "../fence.ts";
import { MysqlError } from "../mysql/errors.ts";
import type { Session as Reader, RowSink } from "../mysql/session.ts";
import type { Part } from "../mysql/split.ts";
import type { Session as Writer } from "../postgres/connection.ts";
import { copyIn } from "../postgres/copy-in.ts";
import type { Throttle } from "../throttle.ts";
import { blocksInto, type Pool } from "./blocks.ts";
import type { Findings } from "./fields.ts";
import type { TablePlan } from "./plan.ts";
import { createRowEncoder, type RowEncoder } from "./rows.ts";

/** One part of a table: rows of the snapshot → COPY, in one transaction that also marks the part as done. */

export interface Running {
  encoder: RowEncoder;
  reader: Reader;
}

export interface PartWork {
  plan: TablePlan;
  part: Part;
  /** Name of the part in the checkpoint. */
  mark: string;
  reader: Reader;
  writer: Writer;
  fence: Fence<Writer>;
  pool: Pool;
  throttle: Throttle;
  /** Readers of the table that run now; this one is put among them. */
  running: Set<Running>;
  /** The table is to be made anew: do not begin. */
  isStopped(): boolean;
  /** The table's guess broke here: told at once, so that its other parts stop too. */
  broke(): void;
  /** Rows and bytes since the last call. */
  progress(rows: number, bytes: number): void;
}

export type PartResult =
  | { broken: true; findings: readonly Findings[] }
  | { broken: false; rows: number; findings: readonly Findings[] };

export async function copyPart(work: PartWork): Promise<PartResult> {
  const { plan, part, reader, writer, fence, running } = work;
  let entry: Running | undefined;
  try {
    await writer.run("BEGIN");
    await fence.guard(writer);
    const copy = await copyIn(writer, plan.copy, { released: (block) => work.pool.give(block) });
    const encoder = createRowEncoder(plan.fields, blocksInto(copy, work.pool));
    if (work.isStopped()) encoder.discard();
    entry = { encoder, reader };
    running.add(entry);
    const sql = part.where === undefined ? plan.select : `${plan.select} WHERE ${part.where}`;
    let stopped = false;
    try {
      if (!encoder.discarded) await reader.stream(sql, plan.fields.length, watched(encoder, work));
    } catch (error) {
      // A broken guess makes us cancel the statement; the snapshot outlives that.
      if (!(stops(encoder) && wasCancelled(error))) throw error;
      stopped = true;
    }
    if (stopped || stops(encoder)) {
      await copy.abort("the table is copied again");
      await writer.run("ROLLBACK");
      await absorbCancel(reader);
      return { broken: true, findings: encoder.findings };
    }
    encoder.finish();
    const rows = await copy.finish();
    if (rows !== encoder.rows) {
      throw new EngineError(
        "row_count_mismatch",
        `table ${plan.source.name}: the target took ${rows} of ${encoder.rows} rows`,
      );
    }
    await fence.partDone(writer, work.mark, rows);
    await fence.identify(writer);
    await writer.run("COMMIT");
    return { broken: false, rows, findings: encoder.findings };
  } catch (error) {
    throw named(error, plan.source.name);
  } finally {
    if (entry !== undefined) running.delete(entry);
  }
}

const stops = (encoder: RowEncoder) => encoder.broken || encoder.discarded;

function watched(encoder: RowEncoder, { progress, broke, throttle }: PartWork): RowSink {
  let rows = 0;
  let bytes = 0;
  let told = false;
  let slow: Promise<void> | undefined;
  return {
    get ended() {
      return encoder.ended;
    },
    room() {
      const room = encoder.room();
      const both =
        room === undefined || slow === undefined ? (room ?? slow) : Promise.all([room, slow]).then(() => undefined);
      slow = undefined;
      return both;
    },
    take(buffer, start, end) {
      const at = encoder.take(buffer, start, end);
      if (encoder.broken && !told) {
        told = true;
        broke();
      }
      progress(encoder.rows - rows, encoder.bytes - bytes);
      slow = throttle.take(encoder.bytes - bytes);
      rows = encoder.rows;
      bytes = encoder.bytes;
      return at;
    },
  };
}

const interrupted = 1317;

const wasCancelled = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof MysqlError && error.cause.number === interrupted;

/** A KILL QUERY that came too late for its statement must not hit the next one. */
async function absorbCancel(reader: Reader): Promise<void> {
  try {
    await reader.query("DO 0");
  } catch (error) {
    if (!wasCancelled(error)) throw error;
  }
}

/** Errors of the data itself say which table they are about. */
function named(error: unknown, table: string): unknown {
  if (!(error instanceof EngineError) || error.code !== "database_error") return error;
  return new EngineError("data_refused", `table ${table}: ${error.message}`, { cause: error });
}
