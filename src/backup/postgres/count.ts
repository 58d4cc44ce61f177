import { fullName } from "../../engine/contract/text/full-name.ts";
import { printable } from "../../engine/contract/text/printable.ts";
import type { DataTable } from "../../engine/postgres/catalogue/tables.ts";
import type { Session } from "../../engine/postgres/driver/connection.ts";
import { qualified } from "../../engine/postgres/driver/names.ts";
import { reading } from "../../engine/postgres/source/holding.ts";
import { type Task, workOff } from "../../engine/run/pool.ts";
import { readersOf } from "../../engine/verify/checksum/side.ts";
import { type ChecksumMethod, checksumMethod, tableChecksums } from "../../engine/verify/checksum/table-checksums.ts";
import { tableKey } from "../../engine/verify/checksum/types.ts";
import { BackupError } from "../contract.ts";
import type { TableRows } from "../manifest-schema.ts";
import type { BackupAccount } from "../work.ts";

type Account = Pick<BackupAccount, "rows" | "table">;

/**
 * Rows of each table as the sessions see them. `checksums`: they are hashed too, by this method or by the server's own; the answer
 * has the method.
 */
export async function countTableRows(
  tables: readonly DataTable[],
  sessions: readonly Session[],
  account: Account | undefined,
  checksums: ChecksumMethod | "own" | undefined,
): Promise<{ tables: TableRows[]; checksums?: ChecksumMethod }> {
  const side = { engine: "postgres", sessions: sessions.slice(0, 1) } as const;
  const method = checksums === "own" ? await checksumMethod(side) : checksums;
  const summed = tables.map(({ schema, name, columns }) => ({
    table: [schema, name] as const,
    columns: columns.map((column) => column.name),
  }));
  const summing = method === undefined ? undefined : await tableChecksums(side, summed, method);
  const counted: TableRows[] = [];
  const tasks = tables.map(
    (table): Task<Session> => ({
      weight: table.bytes,
      async run(session) {
        const sum = summing?.get(tableKey(table.schema, table.name));
        const found = await reading(session, [table], async (own) => {
          const [reader] = readersOf({ engine: "postgres", sessions: [own] }, undefined);
          if (sum !== undefined && reader !== undefined) return sum.read(reader);
          const [row] = await own.query<{ rows: number }>(
            `SELECT pg_catalog.count(*) AS rows FROM ONLY ${qualified(table.schema, table.name)}`,
          );
          return { rows: row?.rows ?? Number.NaN, checksum: undefined };
        });
        const { rows, checksum } = found;
        counted.push({ name: fullName(table.schema, table.name), rows, ...(checksum && { checksum }) });
        account?.rows(rows);
        account?.table();
      },
    }),
  );
  await workOff(sessions, tasks);
  counted.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { tables: counted, ...(method && { checksums: method }) };
}

/** `passed`: rows in the dump by a table's oid. The session counts the rows of the other tables. */
export async function countPassed(
  tables: readonly DataTable[],
  passed: ReadonlyMap<number, number>,
  session: Session,
  account: Account,
): Promise<{ tables: TableRows[] }> {
  const others = tables.filter(({ oid }) => !passed.has(oid));
  const counted = await countTableRows(others, [session], account, undefined);
  const found = tables.flatMap(({ oid, schema, name }) => {
    const rows = passed.get(oid);
    return rows === undefined ? [] : [{ name: fullName(schema, name), rows }];
  });
  return { tables: [...counted.tables, ...found].sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Errors: `row_count_mismatch` where the dump has another number of rows than the snapshot. */
export function refuseOtherRows(
  counted: readonly TableRows[],
  tables: readonly DataTable[],
  passed: ReadonlyMap<number, number>,
): void {
  const counts = new Map(counted.map(({ name, rows }) => [name, rows]));
  for (const { oid, schema, name } of tables) {
    const [dumped, rows] = [passed.get(oid), counts.get(fullName(schema, name))];
    if (dumped !== undefined && dumped !== rows)
      throw new BackupError(
        "row_count_mismatch",
        `table ${printable(fullName(schema, name))}: ${dumped} rows were read, and it has ${rows}. Run the backup again`,
      );
  }
}
