import { readCatalogue, type SourceTable } from "../../mysql/catalogue/catalogue.ts";
import { readCode, type SourceCode } from "../../mysql/definitions/code-source.ts";
import { drawsNumbers, exactBody, inDatabase, statementOf } from "../../mysql/definitions/code-sql.ts";
import { comparable } from "../../mysql/definitions/compare-definitions.ts";
import { refuseLostParts } from "../../mysql/definitions/complete.ts";
import { type Definition, optionText, parseDefinition } from "../../mysql/definitions/definition.ts";
import type { Traits } from "../../mysql/definitions/dialect.ts";
import { withExactBytes } from "../../mysql/definitions/exact-text.ts";
import {
  databaseCollation,
  readTextCollations,
  resultCollation,
  type TextCollations,
} from "../../mysql/definitions/routine-collations.ts";
import { identifier, qualified } from "../../mysql/driver/names.ts";
import type { Server, Session } from "../../mysql/driver/session.ts";
import { readSequences } from "../../plan/mysql-mysql/index.ts";
import type { ComparedObject, Particular } from "../same-engine.ts";
import {
  bare,
  boundsOf,
  type Crossing,
  crossColumn,
  crossingOf,
  crossKey,
  crossOptions,
  partitionsOf,
} from "./crossing.ts";
import { type Beyond, readBeyond } from "./information-schema.ts";
import { type UntranslatedObject, untranslatedOf } from "./refused.ts";

/** Every object of a MySQL or MariaDB database with all its particulars, named as the source names it. */

interface ObjectNaming {
  /** The side's own. */
  database: string;
  /** The source's. */
  shownDatabase: string;
  /** The side's tables that are compared → their names in the source. */
  tables: ReadonlyMap<string, string>;
  /** Names of the side's tables that are left out: views and keys that need them are too. */
  left: ReadonlySet<string>;
  /** MySQL on one side, MariaDB on the other. */
  crossing: boolean;
  /** Of the source then: the target. */
  toward?: Traits;
}

/** Whether two servers write every text alike. */
export const writeAlike = (one: Server, other: Server): boolean =>
  one.maria === other.maria && Math.floor(one.version / 100) === Math.floor(other.version / 100);

export async function readMysqlObjects(
  session: Session,
  naming: ObjectNaming,
): Promise<{ seen: ComparedObject[]; codes: SourceCode[]; doubts: UntranslatedObject[] }> {
  const { database, shownDatabase, tables: names, left, crossing } = naming;
  const { tables, others } = await readCatalogue(session, database);
  const seen: ComparedObject[] = [];
  const doubts: UntranslatedObject[] = [];
  const beyond = crossing ? await readBeyond(session, database, naming.toward) : undefined;
  const texts = await readTextCollations(session, database);
  for (const table of tables) {
    const name = names.get(table.name);
    if (name === undefined) continue;
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table.name)}`);
    const parsed = parseDefinition(shown ?? "", table.foreignKeys);
    refuseLostParts(parsed, table);
    const definition = withExactBytes(parsed, table.columns);
    const of = `${shownDatabase}.${name}`;
    const cross = crossing ? crossingOf(definition, session.server, naming.toward) : undefined;
    if (cross !== undefined) doubts.push(...untranslatedOf(cross, table, name, of));
    const [whole, ...parts] = ofTable(table, definition, of, naming, cross);
    whole?.aspects.push(...(beyond?.ofTable(table.name) ?? []));
    seen.push(...(whole === undefined ? [] : [whole]), ...parts);
  }
  const codes = (await readCode(session, database)).filter((code) => {
    const needs = (table: string) => code.trigger?.table === table || code.shown.includes(identifier(table));
    return ![...left].some(needs);
  });
  seen.push(...codes.map((code) => ofCode(code, naming, { beyond, texts })));
  const sequences = others.flatMap(({ kind, name }) => (kind === "sequence" ? [name] : []));
  for (const { name, shown, next, cycles } of await readSequences(session, database, sequences))
    seen.push({
      kind: "sequence",
      name,
      ...(crossing ? { may: "MySQL has no sequences" } : {}),
      aspects: [
        { aspect: "next value", value: `${next} ${cycles}`, settled: !crossing },
        { aspect: "definition", value: shown.replace(/^CREATE SEQUENCE `(?:[^`]|``)*`/, ""), settled: !crossing },
      ],
    });
  return { seen, codes, doubts };
}

function ofTable(
  table: SourceTable,
  definition: Definition,
  of: string,
  naming: ObjectNaming,
  cross: Crossing | undefined,
): ComparedObject[] {
  const { crossing, toward, database, shownDatabase } = naming;
  // The name of a sequence in a default has its database.
  const moved = (item: string) => (drawsNumbers(item) ? inDatabase(item, database, shownDatabase) : item);
  const text = (kinds: readonly string[], name: string): Particular[] => {
    const item = definition.items.find((one) => kinds.includes(one.kind) && one.name === name);
    const head = /^`(?:[^`]|``)*` /;
    return crossing || item === undefined
      ? []
      : [{ aspect: "definition", value: withFloat(comparable(moved(item.text))).replace(head, ""), shown: true }];
  };
  const options = definition.options.filter(({ key }) => key !== "AUTO_INCREMENT" && key !== "COMMENT");
  const counter = definition.options.find(({ key }) => key === "AUTO_INCREMENT")?.value;
  const counts = table.columns.some(({ extra }) => extra.includes("auto_increment"));
  const whole: ComparedObject = {
    kind: "table",
    name: of,
    of,
    aspects: [
      { aspect: "next AUTO_INCREMENT", value: counts ? (counter ?? "1") : "", settled: true, shown: true },
      { aspect: "comment", value: table.comment, settled: true },
      {
        aspect: "list of columns",
        value: table.columns
          .filter(({ name }) => cross?.textOf("column", name) !== undefined || !crossing)
          .map(({ name }) => name)
          .join("\0"),
        settled: true,
      },
      ...(cross !== undefined
        ? [
            {
              aspect: "partitions",
              value: partitionsOf(cross.translated?.partitions ?? definition.partitions),
              settled: true,
              shown: true,
            },
            { aspect: "bounds of partitions", value: boundsOf(cross.translated?.partitions ?? definition.partitions) },
            ...crossOptions(cross.translated?.options ?? definition.options),
            {
              aspect: "storage engine",
              value: engineOf(cross.translated?.options ?? definition.options),
              settled: true,
              shown: true,
            },
          ]
        : [
            { aspect: "options", value: options.map(optionText).join(" "), shown: true },
            { aspect: "partitions", value: comparable(definition.partitions) },
          ]),
    ],
  };
  const columns = table.columns.map((column): ComparedObject => {
    const { name, nullable, columnType, collation, comment } = column;
    const own = { kind: "column", name: `${of}.${name}`, of };
    const said = { aspect: "comment", value: comment, settled: true };
    if (cross !== undefined) {
      const text = cross.textOf("column", name);
      if (text === undefined) return { ...own, aspects: [], may: cross.left("column", name) };
      return { ...own, aspects: [...crossColumn(text, table, column, toward), said] };
    }
    const type = columnType.replace(/^((?:tiny|small|medium|big)?int)\(\d+\)/, "$1");
    return {
      ...own,
      aspects: [
        ...text(["column"], name),
        // Said by its definition too, where that is one of the texts that are compared.
        { aspect: "type", value: type, settled: true, shown: true },
        { aspect: "collation", value: collation ?? "", settled: true, shown: true },
        { aspect: "nullability", value: nullable ? "NULL" : "NOT NULL", settled: true },
        said,
      ],
    };
  });
  const indexes = table.indexes.map(({ name, unique, type, parts }): ComparedObject => {
    const kept = parts.filter(
      ({ column }) => column === null || cross?.textOf("column", column) !== undefined || !crossing,
    );
    const columns = kept.map(
      ({ column, expression, prefix, descending }) =>
        `${column ?? `(${expression})`}${prefix === null ? "" : `(${prefix})`}${descending ? " DESC" : ""}`,
    );
    const value = `${unique ? "UNIQUE " : ""}${type} (${columns.join(", ")})`;
    const primary = name === "PRIMARY";
    return {
      kind: primary ? "primary key" : "index",
      name: primary ? of : `${of}.${name}`,
      of,
      ...mayLack(cross, name, parts, toward),
      aspects: [
        { aspect: "parts", value, settled: true, shown: true },
        ...(cross === undefined ? [] : crossKey(cross.textOf("key", name) ?? "")),
        ...text(
          primary ? ["primary"] : ["unique", "key", "fulltext", "spatial", "vector", "other"],
          primary ? "" : name,
        ),
      ],
    };
  });
  return [whole, ...columns, ...indexes, ...keysOf(table, of, naming), ...checksOf(table, of, crossing)];
}

/** Why a copy leaves an index out: the target's server has no words for it, or none of its own. */
function mayLack(
  cross: Crossing | undefined,
  name: string,
  parts: SourceTable["indexes"][number]["parts"],
  toward: Traits | undefined,
): Pick<ComparedObject, "may"> {
  if (cross === undefined) return {};
  if (cross.textOf("key", name) === undefined) return { may: cross.left("key", name) };
  if (toward?.server.maria === true && parts.some(({ expression }) => expression !== null))
    return { may: "MariaDB has no indexes on expressions" };
  return {};
}

const engineOf = (options: Definition["options"]): string =>
  (options.find(({ key }) => key === "ENGINE")?.value ?? "").toUpperCase();

function keysOf(
  { foreignKeys }: SourceTable,
  of: string,
  { database, shownDatabase, tables, left }: ObjectNaming,
): ComparedObject[] {
  const rule = (given: string) => (given === "RESTRICT" || given === "" ? "NO ACTION" : given);
  return foreignKeys.flatMap((key): ComparedObject[] => {
    if (left.has(key.referencedTable)) return [];
    const schema = key.referencedSchema === database ? shownDatabase : key.referencedSchema;
    const to = `${schema}.${tables.get(key.referencedTable) ?? key.referencedTable} (${key.referencedColumns.join(", ")})`;
    const value = `(${key.columns.join(", ")}) to ${to} ON DELETE ${rule(key.onDelete)} ON UPDATE ${rule(key.onUpdate)}`;
    const aspects = [{ aspect: "definition", value, settled: true, shown: true }];
    return [{ kind: "foreign key", name: `${of}.${key.name}`, of, aspects }];
  });
}

const checksOf = ({ checks }: SourceTable, of: string, crossing: boolean): ComparedObject[] =>
  checks
    // MariaDB's JSON is a text with this check.
    .filter(({ clause }) => !(crossing && /^json_valid\(/i.test(clause)))
    .map(({ name, clause, enforced }) => ({
      kind: "check",
      name: `${of}.${name}`,
      of,
      aspects: [
        { aspect: "definition", value: crossing ? bare(clause) : comparable(clause), shown: true },
        { aspect: "enforcement", value: enforced ? "ENFORCED" : "NOT ENFORCED", settled: true },
      ],
    }));

function ofCode(
  code: SourceCode,
  { database, shownDatabase, tables, crossing, toward }: ObjectNaming,
  { beyond, texts }: { beyond: Beyond | undefined; texts: TextCollations },
): ComparedObject {
  const { kind, name, trigger, context } = code;
  const wanted = { name: "", definer: "", invoker: false, database, targetDatabase: shownDatabase };
  const on = trigger && tables.get(trigger.table);
  const own = texts.routines.get(`${kind} ${name}`)?.get("");
  const result = (toward && resultCollation(code, texts, toward.collations)) ?? own;
  const body = unended(exactBody(code));
  const statement = statementOf(code, wanted) ?? "";
  // MariaDB writes the database or not by the rights of the view's definer.
  const said = kind === "view" ? inDatabase(statement, shownDatabase, undefined) : statement;
  return {
    kind,
    name,
    ...(crossing && /^package/.test(kind) ? { may: "MySQL has no packages" } : {}),
    ...(on === undefined ? {} : { of: `${shownDatabase}.${on}` }),
    aspects: [
      ...(kind === "view" ? [] : [{ aspect: "body", value: comparable(body), settled: true }]),
      ...((crossing && kind !== "view") || trigger
        ? []
        : [
            {
              aspect: "definition",
              value: comparable(unended(withoutSecurity(said, body))),
            },
          ]),
      ...(trigger
        ? [{ aspect: "time", value: `${trigger.timing} ${trigger.event} ${on ?? trigger.table}`, settled: true }]
        : []),
      ...(crossing || kind === "view" ? [] : [{ aspect: "sql_mode", value: context.sqlMode }]),
      ...(beyond?.ofCode(code) ?? []),
      // Those of parameters are the default of each session that calls.
      ...ifAny("collation of its result", result),
      ...ifAny("collation of its database", databaseCollation(code, crossing)),
      ...(kind === "event" ? [{ aspect: "time zone", value: context.timeZone, settled: true }] : []),
    ],
  };
}

const ifAny = (aspect: string, value: string | undefined): Particular[] =>
  value === undefined ? [] : [{ aspect, value, settled: true, shown: true }];

/** What rights.ts compares by itself. */
const withoutSecurity = (text: string, body: string): string => {
  const at = text.endsWith(body) ? text.length - body.length : text.length;
  return text.slice(0, at).replace(/ ?SQL SECURITY (?:DEFINER|INVOKER)/, "") + text.slice(at);
};

/** The server takes what ends a statement away, or not, by how the statement came. */
const unended = (text: string): string => text.replace(/(?<![;\s])[;\s]+$/, "");

/** A FLOAT's default that the copy keeps as an expression, in the six digits that the servers show (exact-text.ts). */
const withFloat = (text: string): string =>
  /^`(?:[^`]|``)*` float\b/i.test(text)
    ? text.replace(
        / DEFAULT (?:\(+(-?\d[-+.\de]*) \+ 0e0\)+|'?(-?\d[-+.\de]*)'?)/i,
        (_, exact?: string, shown?: string) => ` DEFAULT ${Number(Number(exact ?? shown).toPrecision(6))}`,
      )
    : text;
