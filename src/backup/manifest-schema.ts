import * as z from "zod";
import { isPartName } from "./names.ts";

/** The shape of a manifest, which is untrusted input: whoever can write to the storage can make one. */

const text = z.string().max(100_000);
const count = z.int().nonnegative();

const partSchema = z.strictObject({
  /** Below the run's folder, one segment. */
  name: z.string().refine(isPartName),
  /** Bytes in the storage, and their SHA-256 in hex. */
  size: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Bytes after decryption and decompression: a restore stops at one byte more. */
  plain: count,
  /**
   * `dump`: of pg_dump's custom format. `schema`, `rows` and `finish` are SQL for the mysql client, in the order in which it runs
   * them; the parts of rows may run side by side.
   */
  holds: z.enum(["dump", "schema", "rows", "finish"]),
  /** Of `rows`, where all are of one table. */
  table: text.optional(),
  /** Of SQL: the bytes of its longest statement, which the target's max_allowed_packet has to allow. */
  longest: count.optional(),
  /** Of `rows`: how many there are, and of which ENUM columns so many values are in no list. */
  rows: count.optional(),
  tolerated: z.strictObject({ warnings: count, columns: z.array(text) }).optional(),
});
export type ArchivePart = z.infer<typeof partSchema>;

const tableRowsSchema = z.strictObject({
  /** `schema.table`; MySQL: the table's name. */
  name: text,
  /** Counted in the snapshot. */
  rows: count,
  /** Of the rows, in any order; of a system-versioned table those of now. */
  checksum: z.strictObject({ sum: z.string().regex(/^[0-9a-f]{16}$/), form: text }).optional(),
});
export type TableRows = z.infer<typeof tableRowsSchema>;

/** The manifest, version 1: JSON, the last object of a run, compressed and encrypted as the parts are. */
export const manifestSchema = z.strictObject({
  format: z.literal("rowferry-backup/1"),
  /** A BackupIdentity. */
  run: z.strictObject({ id: text, schedule: text.optional(), slot: text.optional() }),
  engine: z.enum(["postgres", "mysql"]),
  /** `product`: `PostgreSQL`, `MySQL` or `MariaDB`. */
  source: z.strictObject({ product: text, version: text, database: text }),
  /** Programs that wrote it, by name: `rowferry`, `pg_dump`. */
  tools: z.record(text, text),
  /** ISO 8601, UTC. */
  startedAt: text,
  finishedAt: text,
  /** A SourceSnapshot. */
  position: z.strictObject({
    connections: count,
    binlog: z.strictObject({ file: text, offset: count }).optional(),
    gtid: text.optional(),
    lsn: text.optional(),
    transactions: text.optional(),
  }),
  /** In the order in which they are restored. */
  parts: z.array(partSchema).min(1),
  tables: z.array(tableRowsSchema),
  /** How the tables' checksums were computed; absent: they have none. */
  checksums: z.strictObject({ hash: z.enum(["md5", "sha256"]), encoding: text }).optional(),
  /** Every object of the database by kind and name, sorted, to compare with after a restore. */
  inventory: z.array(z.strictObject({ kind: text, name: text })),
  warnings: z.array(text),
});
export type Manifest = z.infer<typeof manifestSchema>;
