import { createHash } from "node:crypto";
import type { Session as PostgresSession } from "../../postgres/driver/connection.ts";
import { createDialect, type Hash, readSum } from "./dialect.ts";
import { comparedForm } from "./forms.ts";
import type { TableName } from "./rows.ts";
import { hasMd5, type Reader, readColumnTypes, type SideSessions } from "./side.ts";
import { type TableType, tableKey } from "./types.ts";

/** Checksums of one side's tables, to keep and to compare later with those of another server of the same engine. */

/** How rows are hashed. It is kept with the checksums. */
export interface ChecksumMethod {
  hash: Hash;
  /** The encoding of the server whose rows were hashed first; MySQL: UTF8. */
  encoding: string;
}

export interface RowChecksum {
  /** The rows' hashes added up modulo 2^64, in 16 hex digits. */
  sum: string;
  /** A digest of the SQL that hashes one row: only sums of one form can be compared. */
  form: string;
}

interface TableChecksum {
  /** `checksum` is undefined where the server could not hash a row. */
  read(reader: Reader): Promise<{ rows: number; checksum: RowChecksum | undefined }>;
}

/** The method for a server's own rows. */
export async function checksumMethod(side: SideSessions): Promise<ChecksumMethod> {
  return { hash: (await hasMd5(side)) ? "md5" : "sha256", encoding: await encodingOf(side) };
}

/** `columns`: those that are hashed; a server computes generated ones by itself. */
interface Summed {
  table: TableName;
  columns: readonly string[];
}

/** By `tableKey`. A table that is not there, or that this server cannot hash by the method, is not in the map. */
export async function tableChecksums(
  side: SideSessions,
  tables: readonly Summed[],
  method: ChecksumMethod,
): Promise<Map<string, TableChecksum>> {
  const found = new Map<string, TableChecksum>();
  if (!(await canHash(side, method))) return found;
  const dialect = createDialect(side.engine, method.hash);
  const types = await readColumnTypes(
    side,
    tables.map(({ table }) => table),
  );
  for (const { table, columns } of tables) {
    const [schema, name] = table;
    const type = types.get(tableKey(schema, name));
    const digest = type === undefined ? undefined : digestOf(type, columns, dialect, method);
    if (type === undefined || digest === undefined) continue;
    const sql = `${dialect.select(type.storage)} ${dialect.sum(digest)} ${dialect.from(schema, name, type.partitioned)}`;
    const form = createHash("sha256").update(digest).digest("hex").slice(0, 32);
    found.set(tableKey(schema, name), {
      async read(reader) {
        const [[rows, sum] = []] = await reader.again(() => reader.query(sql));
        return { rows: Number(rows ?? 0), checksum: checksumOf(rows, sum, form) };
      },
    });
  }
  return found;
}

/** Undefined: one of the columns has no form that only the server computes. */
function digestOf(
  { columns: types }: TableType,
  columns: readonly string[],
  dialect: ReturnType<typeof createDialect>,
  { hash, encoding }: ChecksumMethod,
): string | undefined {
  // A text is hashed as UTF-8, whatever encoding another server has; bytes of no encoding as they are.
  const encodings = { source: encoding, target: encoding === bytesAlone ? bytesAlone : "UTF8" };
  const pieces: { args: readonly string[]; nullable: boolean }[] = [];
  for (const name of columns) {
    const type = types.get(name);
    if (type === undefined) return undefined;
    const form = comparedForm({ name, type }, { name, type }, encodings, hash, {});
    if ("uncompared" in form) return undefined;
    const digested = form.canonicalForm === undefined ? form.source : form.fast?.source;
    if (digested === undefined) return undefined;
    pieces.push({ args: digested.args, nullable: digested.nulls === true || type.nullable });
  }
  return dialect.digest(pieces);
}

const bytesAlone = "SQL_ASCII";

/** Texts of UTF-8 are hashed in the server's own encoding, which then has to be UTF-8. */
async function canHash(side: SideSessions, { hash, encoding }: ChecksumMethod): Promise<boolean> {
  if (hash === "md5" && !(await hasMd5(side))) return false;
  const own = await encodingOf(side);
  return own === encoding || (encoding !== "UTF8" && encoding !== bytesAlone && own !== bytesAlone);
}

function checksumOf(
  rows: string | null | undefined,
  sum: string | null | undefined,
  form: string,
): RowChecksum | undefined {
  try {
    return { sum: readSum(rows, sum).hash.toString(16).padStart(16, "0"), form };
  } catch {
    return undefined;
  }
}

/** `server_encoding`, as in `LATIN1`. */
export async function encodingOf(side: SideSessions): Promise<string> {
  if (side.engine === "mysql") return "UTF8";
  const [session] = side.sessions as readonly PostgresSession[];
  const [row] =
    (await session?.query<{ encoding: string }>("SELECT pg_catalog.current_setting('server_encoding') AS encoding")) ??
    [];
  return row?.encoding ?? "";
}
