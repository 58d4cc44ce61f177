import { createHash } from "node:crypto";
import { identifier, keepable, qualified } from "../../../mysql/driver/names.ts";
import { joined } from "../queries.ts";
import { refuse } from "../refusal.ts";
import type { From } from "../tree.ts";
import { boolean } from "./choices.ts";
import { columnTerm } from "./columns.ts";
import { compare } from "./comparisons.ts";
import type { MysqlFromItem, MysqlOutputColumn, MysqlViews, Scope } from "./scope.ts";
import type { MysqlTerm } from "./term.ts";

/** FROM: tables, queries in their place, joins; and what names mean there. */

/** What a table or a column is called where only the query sees it: its name may be one that MySQL cannot keep. */
export function calledWithin(wanted: string): string {
  const name = keepable(wanted);
  return identifier(name === wanted ? wanted : marked(name, wanted));
}

/** MariaDB keeps a view's text with the names of WITH unquoted: they get one that is no word of its own. */
export const calledByWith = ({ maria }: Pick<MysqlViews, "maria">, name: string): string =>
  maria ? identifier(marked(`w_${name.replaceAll(/\W/g, "_")}`, name)) : calledWithin(name);

const marked = (name: string, whole: string): string =>
  `${[...name].slice(0, 55).join("")}_${createHash("sha256").update(whole).digest("hex").slice(0, 8)}`;

export function translateFrom(views: MysqlViews, scope: Scope, from: From): string {
  if (from.is === "join") return translateJoin(views, scope, from);
  if (from.columns !== undefined) return refuse("an alias with a list of columns is not translated");
  if (from.is === "derived") {
    if (from.lateral) return refuse("LATERAL is not translated");
    const { sql, columns } = scope.query(from.query, { ...scope, sources: [] });
    add(scope, from.alias, columns);
    return `(${sql}) AS ${calledWithin(from.alias)}`;
  }
  const { path } = from;
  const alias = from.alias ?? (path.at(-1) as string);
  const local = path.length === 1 ? scope.with.get(path[0] as string) : undefined;
  if (local !== undefined) {
    add(scope, alias, local);
    return `${calledByWith(views, path[0] as string)} AS ${calledWithin(alias)}`;
  }
  const relation = views.relation(path) ?? refuse(`${path.join(".")} is not copied`);
  if ("reason" in relation) return refuse(relation.reason);
  const columns = [...relation.columns].map(([name, column]): MysqlOutputColumn => {
    const sql = `${calledWithin(alias)}.${identifier(column.name)}`;
    const term = columnTerm(column, sql);
    const collation = / COLLATE (\S+)$/i.exec(column.targetType)?.[1] ?? views.binary;
    return { name, term: term.type.kind === "text" && collation === views.binary ? { ...term, exact: true } : term };
  });
  take(scope, alias, new Map(columns.map(({ name, term }) => [name, term])));
  return `${qualified(...relation.target)} AS ${calledWithin(alias)}`;
}

/** The columns of a query, under its name. */
const add = (scope: Scope, alias: string, columns: readonly MysqlOutputColumn[]): void =>
  take(
    scope,
    alias,
    new Map(columns.map(({ name, term }) => [name, { ...term, sql: `${calledWithin(alias)}.${calledWithin(name)}` }])),
  );

function take(scope: Scope, alias: string, columns: Map<string, MysqlTerm>): void {
  if (scope.sources.some((source) => source.alias.toLowerCase() === alias.toLowerCase()))
    refuse(`two tables are called ${alias}, which MySQL may tell apart without case`);
  scope.sources.push({ alias, columns });
}

function translateJoin(views: MysqlViews, scope: Scope, join: Extract<From, { is: "join" }>): string {
  if (join.natural || join.how === "FULL") return refuse(`${join.natural ? "NATURAL" : "FULL"} JOIN is not translated`);
  const { on, using } = join;
  const context = scope.context(scope);
  const from = (item: From) => translateFrom(views, scope, item);
  return joined(join, scope.sources, from, (left, right) => {
    if (using === undefined) return on && boolean(context.term(on)).sql;
    const equal = (name: string) => compare(context, "=", usedColumn(left, name), usedColumn(right, name)).sql;
    return using.map(equal).join(" AND ");
  });
}

function usedColumn(sources: readonly Pick<MysqlFromItem, "columns">[], name: string): MysqlTerm {
  const found = sources.flatMap(({ columns }) => columns.get(name) ?? []);
  return found.length === 1 ? (found[0] as MysqlTerm) : refuse(`the column ${name} of USING is ambiguous`);
}
