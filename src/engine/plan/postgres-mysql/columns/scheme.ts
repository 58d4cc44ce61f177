import type { CopyOptions } from "../../../contract/index.ts";
import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import type { Srids } from "../../../rows/copy-to-load/fields.ts";
import { schemaInTarget } from "../../../run/renamed-schemas.ts";
import { type Names, nameOnce } from "../../unique-names.ts";
import { createNames } from "./names.ts";

/** What all tables of a run share: the target's kind and the names given out in it. */
export interface Scheme {
  maria: boolean;
  version: number;
  database: string;
  /** The target makes 0 of -0, as MariaDB before 11 does. */
  unsignedZero: boolean;
  /** SRIDs that the target knows (spatial-types.ts); undefined: it takes any. */
  srids: Srids | undefined;
  /** Source oid → target table. */
  tables: ReadonlyMap<number, string>;
  /** Names of foreign keys and checks, which are unique in a database. */
  constraints: Names;
  /** Names given out already, by what they were given for, so that a second plan of a table finds the same. */
  given: Map<string, string>;
}

/** `public` has no prefix, any other schema its name and an underscore; the option says otherwise. */
export const prefixOf = (schema: string, schemas: CopyOptions["schemas"]): string =>
  schemaInTarget(schemas, schema, "postgres", "mysql");

export interface TargetFacts {
  maria: boolean;
  version: number;
  database: string;
  /** lower_case_table_names is 0. */
  exact: boolean;
  /** -0 becomes 0. */
  unsignedZero: boolean;
  srids?: Srids | undefined;
  /** What is there and not this run's. */
  relations: readonly Relation[];
  /** Foreign keys and checks of these. */
  constraints: readonly { table: string; name: string }[];
}

export interface Relation {
  name: string;
  /** As DROP calls it. */
  kind: "TABLE" | "VIEW" | "SEQUENCE";
}

/** The order in which tables get their names: those without a prefix first, so that they keep theirs, and among them those of `public`. */
export function inNamingOrder<Table>(
  tables: readonly Table[],
  schemaOf: (table: Table) => string,
  schemas: CopyOptions["schemas"],
): Table[] {
  const rank = (table: Table) => prefixOf(schemaOf(table), schemas).length * 2 + (schemaOf(table) === "public" ? 0 : 1);
  return [...tables].sort((a, b) => rank(a) - rank(b));
}

export function createScheme(
  facts: TargetFacts,
  tables: readonly TableDefinition[],
  schemas: CopyOptions["schemas"],
): Scheme {
  const names = createNames([...facts.relations.map(({ name }) => name), "_rowferry"], {
    file: true,
    exact: facts.exact,
  });
  const order = inNamingOrder(tables, ({ schema }) => schema, schemas);
  const targets = new Map(
    order.map((table) => [
      table.oid,
      names.take(`${prefixOf(table.schema, schemas)}${table.name}`, `table ${tableName(table)}`),
    ]),
  );
  const { maria, version, database, unsignedZero, srids } = facts;
  return {
    srids,
    maria,
    version,
    database,
    unsignedZero,
    tables: targets,
    constraints: createNames(
      facts.constraints.map(({ name }) => name),
      { accents: true },
    ),
    given: new Map(),
  };
}

/** The name of a constraint; the same at each call. */
export const constraintName = (scheme: Scheme, identity: string, wanted: string): string =>
  nameOnce(scheme.given, scheme.constraints, identity, wanted);
