import { sqlState } from "../postgres/errors.ts";

/** How large tables are. The server measures their files under a lock, for which an assessment waits a second at most. */

/** Bytes of a table `c` of pg_class, whole and without its indexes, as SQL. */
type Ask<Row> = (bytes: string, data: string) => Promise<Row[]>;

const pagesOf = (where: string) =>
  `COALESCE((SELECT pg_catalog.sum(p.relpages) FROM pg_catalog.pg_class p WHERE ${where}), 0)::int8 * pg_catalog.current_setting('block_size')::int8`;
const own = "p.oid IN (c.oid, c.reltoastrelid)";
const indexes =
  "p.oid IN (SELECT i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid IN (c.oid, c.reltoastrelid))";

/** Where a table is locked against reading: by the pages that its last VACUUM or ANALYZE counted. */
export async function withSizes<Row>(ask: Ask<Row>): Promise<Row[]> {
  try {
    return await ask("pg_catalog.pg_total_relation_size(c.oid)", "pg_catalog.pg_table_size(c.oid)");
  } catch (error) {
    if (sqlState(error) !== lockNotAvailable) throw error;
    return ask(pagesOf(`${own} OR ${indexes}`), pagesOf(own));
  }
}

const lockNotAvailable = "55P03";
