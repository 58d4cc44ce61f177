import { EngineError } from "../../../contract/index.ts";
import type { Session as Writer } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { markOwnRows } from "../../../mysql/fence/own-rows.ts";
import { openLoader } from "../../../mysql/target/load.ts";
import type { Session as Reader } from "../../../postgres/driver/connection.ts";
import { copyOut } from "../../../rows/copy-to-load/copy-out.ts";
import type { CopyToLoadFindings } from "../../../rows/copy-to-load/fields.ts";
import { type CopyToLoadEncoder, createCopyToLoadEncoder } from "../../../rows/copy-to-load/rows.ts";
import { both, createMeter } from "../../../rows/metered.ts";
import type { BlockPool } from "../../../run/memory/block-pool.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { TablePart } from "../tables/table-parts.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** One part of a table: COPY out of the snapshot → LOAD DATA, in one transaction that also marks the part as done. */

export interface CopyWorker {
  source: Reader;
  target: Writer;
  /** What is read from the source and not yet converted. */
  buffer: Buffer;
}

interface PartWork {
  plan: TablePlan;
  part: TablePart;
  mark: string;
  fence: MysqlFence;
  pool: BlockPool;
  /** The table is not the run's, and the target can find the part's rows: that they are the run's is written down. */
  present: boolean;
  throttle: Throttle;
  /** Encoders of the table that run now; this one is put among them. */
  running: Set<CopyToLoadEncoder>;
  /** Rows and bytes since the last call. */
  progress(rows: number, bytes: number): void;
}

export type PartResult =
  | { broken: true; findings: readonly CopyToLoadFindings[]; refusal?: EngineError }
  | { broken: false; rows: number; findings: readonly CopyToLoadFindings[] };

export async function copyPart({ source, target, buffer }: CopyWorker, work: PartWork): Promise<PartResult> {
  const { plan, part, fence, running } = work;
  await target.run("START TRANSACTION");
  await fence.guard(target);
  const loader = await openLoader(target, plan.load, work.pool);
  const encoder = createCopyToLoadEncoder(plan.fields, loader);
  running.add(encoder);
  const meter = createMeter(encoder, work.progress);
  let refusal: EngineError | undefined;
  const refused = (error: unknown) => {
    if (!isRefusal(error)) throw error;
    refusal = error;
    encoder.discard();
  };
  const room = () => both(work.throttle.take(meter()), encoder.discarded ? undefined : loader.room()?.catch(refused));
  try {
    const statement = `COPY (SELECT ${plan.select} ${part.from}) TO STDOUT`;
    const sent = await copyOut(
      source,
      statement,
      {
        take: (from, start, end) => encoder.take(from, start, end),
        get within() {
          return encoder.within;
        },
        room,
      },
      buffer,
    );
    if (encoder.discarded) {
      await loader.abort();
      await target.run("ROLLBACK");
      return { broken: true, findings: encoder.findings, ...(refusal === undefined ? {} : { refusal }) };
    }
    meter();
    encoder.finish();
    try {
      await loader.finish(encoder.rows);
    } catch (error) {
      refused(error);
    }
    if (refusal !== undefined) {
      await target.run("ROLLBACK");
      return { broken: true, findings: encoder.findings, refusal };
    }
    if (sent !== encoder.rows)
      throw new EngineError(
        "row_count_mismatch",
        `table ${part.name}: the source sent ${sent} rows and ${encoder.rows} arrived`,
      );
    if (work.present)
      await markOwnRows(target, fence, { name: [plan.load.database, plan.name], rows: sent, where: part.where });
    await fence.partDone(target, work.mark, sent);
    await target.run("COMMIT");
    return { broken: false, rows: sent, findings: encoder.findings };
  } finally {
    running.delete(encoder);
  }
}

/** The data are not what the table takes: a document that is no JSON, a broken check, a value out of range. */
const isRefusal = (error: unknown): error is EngineError =>
  error instanceof EngineError && (error.code === "data_refused" || isJsonError(errorNumber(error)));

/** ER_INVALID_JSON_TEXT and what follows it. */
export const isInvalidJson = (number: number): boolean => number >= 3140 && number <= 3158;

/** JSON_VALID's check in MariaDB too. */
export const isJsonError = (number: number | undefined): boolean =>
  number !== undefined && (isInvalidJson(number) || number === 4025);
