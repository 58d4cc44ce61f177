import { EngineError } from "../../../contract/index.ts";
import type { Session as Reader, RowSink } from "../../../mysql/driver/session.ts";
import { absorbCancel, isInterrupted, readAgain, wasCancelled } from "../../../mysql/source/read-again.ts";
import type { TablePart } from "../../../mysql/source/split.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { type CopyIn, copyIn } from "../../../postgres/driver/copy-in.ts";
import { columnAt, isRefusedValue } from "../../../postgres/driver/errors.ts";
import { metered } from "../../../rows/metered.ts";
import { BadText } from "../../../rows/mysql-to-copy/bad-text.ts";
import { blocksInto } from "../../../rows/mysql-to-copy/blocks.ts";
import type { MysqlToCopyEncoder } from "../../../rows/mysql-to-copy/encoder.ts";
import type { MysqlToCopyFindings } from "../../../rows/mysql-to-copy/fields.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { loadError } from "../../../run/load-error.ts";
import type { BlockPool } from "../../../run/memory/block-pool.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { binaryWay, textWay, type Way } from "./row-format.ts";

/** One part of a table: rows of the snapshot → COPY, in one transaction that also marks the part as done. */

export interface PartSource {
  encoder: MysqlToCopyEncoder;
  reader: Reader;
}

export interface PartWork {
  plan: TablePlan;
  part: TablePart;
  /** Name of the part in the checkpoint. */
  mark: string;
  reader: Reader;
  writer: Writer;
  fence: Fence<Writer>;
  pool: BlockPool;
  throttle: Throttle;
  /** Readers of the table that run now; this one is put among them. */
  running: Set<PartSource>;
  /** The table is to be made anew: do not begin. */
  isStopped(): boolean;
  /** The table's guess broke here: told at once, so that its other parts stop too. */
  broke(): void;
  /** The table goes as text: what came of it cannot go in binary. */
  isTextual(): boolean;
  /** So it is from here on: `reader`'s statement is cancelled. Never rejects. */
  gaveUp(): Promise<void>;
  /** Rows and bytes since the last call, or what was told and is taken back. */
  progress(rows: number, bytes: number): void;
}

export type PartResult =
  | { broken: true; findings: readonly MysqlToCopyFindings[] }
  | { broken: false; rows: number; findings: readonly MysqlToCopyFindings[] };

export async function copyPart(work: PartWork): Promise<PartResult> {
  try {
    return await readAgain(work.reader, () => copyOnce(work));
  } catch (error) {
    throw named(error, work.plan);
  }
}

async function copyOnce(work: PartWork): Promise<PartResult> {
  const binary = work.isTextual() ? undefined : await binaryWay(work);
  if (binary !== undefined) {
    try {
      const result = await copyBy(work, binary);
      if (result !== undefined) return result;
    } finally {
      await binary.close();
    }
  }
  return (await copyBy(work, textWay(work))) as PartResult;
}

/** Undefined: what came cannot go this way; nothing of it was written, or counted. */
async function copyBy(work: PartWork, way: Way): Promise<PartResult | undefined> {
  const { plan, reader, writer, fence, running } = work;
  let entry: PartSource | undefined;
  try {
    await writer.run("BEGIN");
    await fence.guard(writer);
    const copy = await copyIn(writer, way.copy, { released: (block) => work.pool.give(block) });
    const encoder = way.encoder(blocksInto(copy, work.pool));
    if (work.isStopped()) encoder.discard();
    entry = { encoder, reader };
    running.add(entry);
    const { sink, settled } = watched(encoder, work);
    let stopped = false;
    try {
      if (!encoder.discarded) await way.stream(sink);
    } catch (error) {
      // A broken guess makes us cancel the statement; the snapshot outlives that.
      if (!stops(encoder) && isInterrupted(reader, error)) await undo(work, copy, encoder);
      if (!(stops(encoder) && wasCancelled(error))) throw error;
      stopped = true;
    }
    if (stopped || stops(encoder)) {
      await copy.abort("the table is copied again");
      await writer.run("ROLLBACK");
      await settled();
      await absorbCancel(reader);
      if (!encoder.gaveUp || encoder.broken || work.isStopped()) return { broken: true, findings: encoder.findings };
      work.progress(-encoder.rows, -encoder.bytes);
      return undefined;
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
  } finally {
    if (entry !== undefined) running.delete(entry);
  }
}

/** Nothing of what was read is kept: it is read again. */
async function undo({ writer, progress }: PartWork, copy: CopyIn, { rows, bytes }: MysqlToCopyEncoder): Promise<void> {
  await copy.abort("the part is read again");
  await writer.run("ROLLBACK");
  progress(-rows, -bytes);
}

const stops = (encoder: MysqlToCopyEncoder) => encoder.broken || encoder.discarded;

/** `settled`: what was asked to be cancelled, was. */
function watched(encoder: MysqlToCopyEncoder, work: PartWork): { sink: RowSink; settled(): Promise<void> } {
  let told = false;
  let cancelled: Promise<void> | undefined;
  const sink = metered(encoder, work, () => {
    if (encoder.broken && !told) {
      told = true;
      work.broke();
    }
    if (encoder.gaveUp) cancelled ??= work.gaveUp();
  });
  return {
    sink,
    settled: async () => {
      await cancelled;
    },
  };
}

/** Errors of the data itself say which table they are about. */
function named(error: unknown, { source: { name: table }, copied }: TablePlan): unknown {
  if (error instanceof EngineError && error.code === "unsupported_text") return new BadText(table, error);
  return loadError(error, { table, column: columnAt(error, copied)?.source.name, isValue: isRefusedValue });
}
