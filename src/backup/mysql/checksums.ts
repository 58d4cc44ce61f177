import type { SourceTable } from "../../engine/mysql/catalogue/catalogue.ts";
import type { Session } from "../../engine/mysql/driver/session.ts";
import { readersOf } from "../../engine/verify/checksum/side.ts";
import {
  type ChecksumMethod,
  checksumMethod,
  type RowChecksum,
  tableChecksums,
} from "../../engine/verify/checksum/table-checksums.ts";
import { tableKey } from "../../engine/verify/checksum/types.ts";

/** Checksums of tables of one database, whatever session reads them. */
export interface Checksums {
  method: ChecksumMethod;
  /** Undefined: the server cannot hash the table. Rows of a system-versioned table's past are not read. */
  read(session: Session, table: string): Promise<{ rows: number; checksum: RowChecksum | undefined } | undefined>;
}

/** `how`: the method of the manifest, or the server's own. */
export async function createChecksums(
  definitions: Session,
  database: string,
  tables: readonly SourceTable[],
  how: ChecksumMethod | "own",
): Promise<Checksums> {
  const side = { engine: "mysql", sessions: [definitions] } as const;
  const method = how === "own" ? await checksumMethod(side) : how;
  const summed = tables.map(({ name, columns }) => ({
    table: [database, name] as const,
    columns: columns.filter(({ generation }) => generation === "").map((column) => column.name),
  }));
  const found = await tableChecksums(side, summed, method);
  return {
    method,
    async read(session, table) {
      const [reader] = readersOf({ engine: "mysql", sessions: [session] }, undefined);
      return reader && found.get(tableKey(database, table))?.read(reader);
    },
  };
}
