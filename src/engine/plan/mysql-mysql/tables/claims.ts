import type { CopyOptions, CopyRequest } from "../../../contract/index.ts";
import type { Catalogue, SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import type { Server, Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { constraintKind, mysqlClaim, tellsCase } from "../../../mysql/fence/taken-names.ts";
import { keylessTables } from "../../../mysql/target/keyless.ts";
import type { NameClaim } from "../../../run/fence/claims.ts";

/** Where the names are given. */
interface Naming {
  /** Of the source, as in options.schemas. */
  database: string;
  prefix: string;
  content: CopyOptions["content"];
  /** The target's server, and whether it tells the names of tables apart by case. */
  server: Pick<Server, "maria">;
  exact: boolean;
}

/**
 * The names that a copy between MySQL and MariaDB gives in the target, for the fence: of tables that are there, nothing else
 * is claimed. Pure.
 */
export function wantedNames({ tables, others }: Pick<Catalogue, "tables" | "others">, naming: Naming): NameClaim[] {
  const { prefix, content, server, exact } = naming;
  const claim = (kind: string, name: string) => mysqlClaim(kind, name, exact);
  const own = tables.map(({ name }) => claim("table", prefix + name));
  if (content === "data") return own;
  const made = others.filter(({ kind }) => (kind === "sequence" ? server.maria : prefix === ""));
  const copied = new Set(tables.map(({ name }) => name));
  return [
    ...own,
    ...made.map(({ kind, name }) => claim(kind, name)),
    ...tables.flatMap((table) => [
      ...foreignKeysOf(table, naming, copied).map((name) => claim(constraintKind, name)),
      ...(server.maria ? [] : checksOf(table).map((name) => claim(constraintKind, name))),
    ]),
  ];
}

/** No two of a database have one name. */
const foreignKeysOf = ({ foreignKeys }: SourceTable, { database }: Naming, copied: ReadonlySet<string>): string[] =>
  foreignKeys.flatMap(({ name, referencedSchema, referencedTable }) =>
    referencedSchema === database && !copied.has(referencedTable) ? [] : [name],
  );

/** In MySQL no two of a database have one name; a column's own check in MariaDB is called by the column, and gets another there. */
function checksOf({ checks, columns }: SourceTable): string[] {
  const names = new Set(columns.map(({ name }) => name));
  return checks.flatMap(({ name }) => (names.has(name) ? [] : [name]));
}

interface Claiming {
  request: CopyRequest;
  catalogue: Catalogue;
  fence: MysqlFence;
  prefix: string;
}

/** Tables that are made without a primary key, as the target calls them. */
export const withoutKey = ({ tables }: Pick<Catalogue, "tables">, prefix: string): string[] =>
  tables.flatMap(({ name, indexes }) => (indexes.some((index) => index.name === "PRIMARY") ? [] : [prefix + name]));

/** Claims them for the run, before it makes or drops anything, and answers with warnings. Errors: `target_in_use`, `table_refused`. */
export async function claimNames(
  { request, catalogue, fence, prefix }: Claiming,
  server: Server,
  writer: Session,
): Promise<string[]> {
  const { source, options, reset, made } = request;
  const exact = await tellsCase(writer);
  const naming = { database: source.database, prefix, content: options.content, server, exact };
  await fence.claim(wantedNames(catalogue, naming), reset ? made : []);
  if (options.content === "data") return [];
  return (await keylessTables(writer, withoutKey(catalogue, prefix))).map(({ reason }) => reason);
}
