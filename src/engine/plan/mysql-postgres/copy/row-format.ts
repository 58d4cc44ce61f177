import { MysqlError } from "../../../mysql/driver/errors.ts";
import type { Session as Reader, RowSink } from "../../../mysql/driver/session.ts";
import type { TablePart } from "../../../mysql/source/split.ts";
import { binaryFields } from "../../../rows/mysql-to-copy/binary-fields.ts";
import { createBinaryEncoder } from "../../../rows/mysql-to-copy/binary-rows.ts";
import type { MysqlToCopyEncoder } from "../../../rows/mysql-to-copy/encoder.ts";
import { createTextEncoder } from "../../../rows/mysql-to-copy/rows.ts";
import type { Blocks } from "../../../run/memory/block-pool.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/**
 * How a part's rows travel: as text on both sides, which every type can, or as the servers' binary formats, which cost
 * them less. The outcome is the same.
 */
export interface Way {
  copy: string;
  encoder(out: Blocks): MysqlToCopyEncoder;
  stream(sink: RowSink): Promise<void>;
  close(): Promise<void>;
}

interface Journey {
  plan: TablePlan;
  part: TablePart;
  reader: Reader;
}

const statement = ({ plan, part }: Journey): string =>
  part.where === undefined ? plan.select : `${plan.select} WHERE ${part.where}`;

export function textWay(journey: Journey): Way {
  const { plan, reader } = journey;
  return {
    copy: plan.copy,
    encoder: (out) => createTextEncoder(plan.fields, out),
    stream: (sink) => reader.stream(statement(journey), plan.fields.length, sink),
    close: async () => undefined,
  };
}

/** Undefined: a column cannot go that way, or the server does not prepare the statement. */
export async function binaryWay(journey: Journey): Promise<Way | undefined> {
  const { plan, reader } = journey;
  const prepared = await reader.prepare(statement(journey)).catch((error: unknown) => {
    // It may have no room for another, or not do it at all; what is wrong beside that, the query says.
    if (error instanceof Error && error.cause instanceof MysqlError) return undefined;
    throw error;
  });
  if (prepared === undefined) return undefined;
  const fields = binaryFields(plan.copied, plan.fields, prepared.columns);
  if (fields === undefined) {
    await prepared.close();
    return undefined;
  }
  return {
    copy: `${plan.copy} (FORMAT binary)`,
    encoder: (out) => createBinaryEncoder(fields, out),
    stream: prepared.stream,
    close: prepared.close,
  };
}
