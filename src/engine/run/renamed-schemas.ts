import { type CopyOptions, type Endpoint, EngineError } from "../contract/index.ts";
import { named } from "../contract/text/own-property.ts";

/** The option `schemas`: the target's schema of a source schema's tables, or in MySQL the prefix of their names. Pure. */

type Schemas = CopyOptions["schemas"];
type Engine = Endpoint["engine"];

/** MySQL's database is its only schema. */
export function schemaInTarget(schemas: Schemas, schema: string, from: Engine, to: Engine): string {
  const given = named(schemas, schema);
  if (given !== undefined) return given;
  if (from === "mysql") return to === "mysql" ? "" : "public";
  if (to === "postgres") return schema;
  return schema === "public" ? "" : `${schema}_`;
}

/** The same of a MySQL source. Errors: `option_unmatched` for a database that is not copied. */
export function databaseInTarget(schemas: Schemas, database: string, to: Engine): string {
  const other = Object.keys(schemas ?? {}).find((name) => name !== database);
  if (other !== undefined)
    throw new EngineError(
      "option_unmatched",
      `options.schemas names the database ${JSON.stringify(other)}, but the one that is copied is ${JSON.stringify(database)}`,
    );
  return schemaInTarget(schemas, database, "mysql", to);
}

/** Those that are to have another name. */
export const renamedSchemas = (schemas: Schemas): [from: string, to: string][] =>
  Object.entries(schemas ?? {}).filter(([from, to]) => from !== to);
