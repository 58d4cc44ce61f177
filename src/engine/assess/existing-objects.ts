import type { OpenedDatabase } from "../run/open-database.ts";
import { relationsOf } from "./mysql/index.ts";
import { userRelations } from "./postgres/index.ts";

/** Number of tables, views and sequences that users made in the database. A copy's own checkpoint does not count. */
export async function countObjects(opened: OpenedDatabase, database: string): Promise<number> {
  if (opened.engine === "postgres") return (await userRelations(opened.session)).length;
  const relations = await relationsOf(opened.session, database);
  return relations.filter((name) => name !== "_rowferry").length;
}
