import { mysqlEngine } from "../../../contract/text/engine-name.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { ofUsers } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { fullNameSql } from "../../../postgres/driver/names.ts";
import type { ColumnMeaning } from "../../translate/index.ts";
import { type ReadableRelation, translateViews, type ViewPlan, type ViewPlans } from "../../translate/views.ts";
import { columnMeaning } from "../columns/expressions.ts";
import { createNames } from "../columns/names.ts";
import { prefixOf, type Scheme } from "../columns/scheme.ts";
import type { TablePlan } from "./table-plan.ts";

/** What becomes of the source's views: MySQL's queries in the order of their dependence, or why there is none. */

export interface SourceView {
  /** `schema.name` */
  name: string;
  schema: string;
  view: string;
  query: string;
  columns: string[];
  /** LOCAL or CASCADED. */
  checkOption: string | null;
  invoker: boolean;
}

/** Every view that belongs to no extension. */
export const readViews = (session: Session): Promise<SourceView[]> =>
  session.query<SourceView>(
    `SELECT ${fullNameSql("n.nspname", "c.relname")} AS name, n.nspname AS schema, c.relname AS view, pg_catalog.pg_get_viewdef(c.oid) AS query,
            ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
            (SELECT pg_catalog.upper(o.option_value) FROM pg_catalog.pg_options_to_table(c.reloptions) o WHERE o.option_name = 'check_option') AS "checkOption",
            COALESCE((SELECT o.option_value::bool FROM pg_catalog.pg_options_to_table(c.reloptions) o WHERE o.option_name = 'security_invoker'), false) AS invoker
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'v' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY 1`,
  );

/** Tables by their oids. */
export type MysqlViewPlan = ViewPlan<SourceView, number>;

export interface Viewed {
  scheme: Scheme;
  /** Of the source. */
  version: number;
  schemas: Parameters<typeof prefixOf>[1];
  /** Names of relations in the target, and whether it tells them apart by case. */
  taken: readonly string[];
  exact: boolean;
}

type Known = ReadableRelation<number>;

/** What a view's translation needs to know of a table. */
type Readable = Pick<TablePlan, "source" | "name" | "columns">;
/** Read twice. */
export type Readables = { values(): Iterable<Readable> };

export function planViews(viewed: Viewed, views: readonly SourceView[], tables: Readables): ViewPlans<MysqlViewPlan> {
  const { scheme, schemas } = viewed;
  if (views.length === 0) return { plans: [], refused: new Map() };
  const known = new Map<string, Known>();
  const parents = new Set<string>();
  for (const { source } of tables.values()) for (const parent of source.inherits) parents.add(parent);
  for (const plan of tables.values()) known.set(tableName(plan.source), relationOf(scheme, plan, parents));
  const names = createNames([...viewed.taken, "_rowferry"], { file: true, exact: viewed.exact });
  return translateViews(views, {
    known,
    from: { engine: "postgres", version: viewed.version },
    to: { engine: mysqlEngine(scheme), version: scheme.version },
    nameOf: (path) => fullName(...path),
    schema: scheme.database,
    nameIn: ({ schema, view, name }) => names.take(`${prefixOf(schema, schemas)}${view}`, `view ${name}`),
  });
}

function relationOf(scheme: Scheme, { source, name, columns }: Readable, parents: ReadonlySet<string>): Known {
  if (parents.has(tableName(source)))
    return { reason: `${tableName(source)} shows the rows of tables that inherit from it, and the copy's does not` };
  return {
    target: [scheme.database, name],
    columns: new Map<string, ColumnMeaning>(columns.map((column) => [column.source.name, columnMeaning(column)])),
    keys: [],
    tables: new Set([source.oid]),
  };
}
