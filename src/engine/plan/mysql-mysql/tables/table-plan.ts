import { labelsOf, type SourceColumn, type SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { drawsNumbers } from "../../../mysql/definitions/code-sql.ts";
import {
  type Definition,
  endOfDefault,
  type Item,
  optionText,
  positionOf,
} from "../../../mysql/definitions/definition.ts";
import { listedColumns, type Traits, type TranslatedTable, translate } from "../../../mysql/definitions/dialect.ts";
import { type CheckNames, withNamedChecks } from "../../../mysql/definitions/named-checks.ts";
import { withOwnCollations } from "../../../mysql/definitions/own-collations.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import type { Server } from "../../../mysql/driver/session.ts";
import { priorityOf } from "../../../mysql/source/split.ts";
import type { LoadColumn } from "../../../mysql/target/loader.ts";
import { kind } from "../../../rows/mysql-to-load/rows.ts";
import { endOfRow, hiddenTimes, isPeriod, withoutHistory } from "./row-times.ts";

/** What becomes of one table: the statements that make it, and how its rows are read and loaded. Pure. */
export interface TablePlan {
  source: SourceTable;
  /** Its text in the source. */
  shown: string;
  definition: Definition;
  translated: TranslatedTable;
  /** Its name in the target. */
  name: string;
  /** Indexes that are built when the rows are there: each of these lists in one ALTER TABLE. */
  later: string[][];
  foreignKeys: Item[];
  /** What was given up to make the server take it (create-tables.ts). */
  without: ReadonlySet<Item>;
  /** Of the columns that are loaded, in the order of `select`. */
  columns: LoadColumn[];
  kinds: number[];
  /** Columns of kind `enumeration`. */
  enumerations: string[];
  /** Without WHERE. Its rows are all of the table's, those of a system-versioned table's past among them. */
  select: string;
  /** The same, with texts of these columns in utf8mb4. */
  selected(inUnicode: ReadonlySet<string>): string;
  /** The rows of the past are copied too, with their times. */
  history: boolean;
  /** Columns are filled that only INSERT knows. */
  inserts: boolean;
  /** Each row fulfills its table's checks. MariaDB takes others while check_constraint_checks is off. */
  checked: boolean;
}

export interface TablePlanning {
  database: string;
  server: Server;
  target: Traits;
  targetDatabase: string;
  prefix: string;
  /** The source knows minus zero and the target does not: such values are counted. */
  unsigns?: boolean;
  /** The source's, where its server is MariaDB. */
  checkNames?: CheckNames;
  /** Table → generated columns that are plain in the target, because its server computes other values. */
  plain?: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Table → its plan for the one that is there (content `data`). */
  present?: ReadonlyMap<string, () => TablePlan>;
}

/** Below this it is cheaper to keep all indexes while loading than to change the table once more. */
const smallBytes = 4 << 20;
/** MariaDB that takes the times of rows of the past (system_versioning_insert_history). */
const insertsHistory = 101100;

export function planTable(
  planning: TablePlanning,
  source: SourceTable,
  shown: string,
  definition: Definition,
  given: ReadonlySet<Item> = new Set(),
): TablePlan {
  const { server, target, database, prefix } = planning;
  const plain = planning.plain?.get(source.name);
  const isPlain = ({ kind, name }: Item) => kind === "column" && plain?.has(name) === true;
  const without = new Set([...given, ...definition.items.filter(isPlain)]);
  const found = withOwnCollations(translate(definition, server, target), source, server, target);
  const named = server.maria && !target.server.maria;
  const translated = named ? withNamedChecks(found, `${prefix}${source.name}`, planning.checkNames) : found;
  translated.notes.push(...(definition.doubts ?? []));
  const history =
    source.versioned && target.server.maria && target.server.version >= insertsHistory && !withoutHistory(source);
  const read = source.columns.filter(
    (column) => isLoaded(column, definition, without) && (history || !isPeriod(column)),
  );
  const hidden = history && !source.columns.some(isPeriod) ? hiddenTimes : [];
  const endOf = (column: { name: string; generation: string }) =>
    history ? endOfRow(column, server, target.server) : undefined;
  const from = `${qualified(database, source.name)}${history ? " FOR SYSTEM_TIME ALL" : ""}`;
  const selected = (inUnicode: ReadonlySet<string>) => {
    const columns = read.map((column) =>
      inUnicode.has(column.name)
        ? `CONVERT(${identifier(column.name)} USING utf8mb4)`
        : (endOf(column) ?? readSql(column)),
    );
    const times = hidden.map((name) => endOf({ name, generation: name.replace("_", " ") }) ?? identifier(name));
    const list = [...columns, ...times].join(", ");
    return `SELECT ${list === "" ? "" : priorityOf(source)}${list} FROM ${from}`;
  };
  return {
    source,
    shown,
    definition,
    translated,
    name: prefix + source.name,
    later: laterIndexes(source, translated, without),
    foreignKeys: definition.items.filter((item) => item.kind === "foreign" && !without.has(item)),
    without,
    columns: [...read.map((column) => loadColumn(column)), ...hidden.map((name) => ({ name }))],
    kinds: [...read.map((column) => kindOf(column, planning)), ...hidden.map(() => kind.plain)],
    enumerations: read.filter(({ dataType }) => dataType === "enum").map(({ name }) => name),
    select: selected(new Set()),
    selected,
    history,
    inserts: hidden.length > 0,
    checked: !server.maria,
  };
}

export const isGenerated = ({ generation, extra }: SourceColumn): boolean =>
  generation !== "" || /(?:virtual|stored|persistent) generated/.test(extra);

function isLoaded(column: SourceColumn, { items }: Definition, without: ReadonlySet<Item>): boolean {
  if (isPeriod(column)) return true;
  if (!isGenerated(column)) return true;
  // A column that could not be computed in the target is one that is filled.
  return [...without].some((item) => item.kind === "column" && item.name === column.name && items.includes(item));
}

/** FLOAT's own text is rounded; as a double it has every digit. A label's number; empty for the value that has none. */
function readSql(column: SourceColumn): string {
  const name = identifier(column.name);
  // Of 64 members, `+ 0` would be rounded.
  if (isNumbered(column)) return `IF(CAST(${name} AS UNSIGNED) = 0, '', CAST(${name} AS UNSIGNED))`;
  return column.dataType === "float" ? `${name} * 1e0` : name;
}

/**
 * One of the labels is empty, as is the text of an ENUM's value that is in no list, and of a SET without a member, or one is
 * there twice: only their numbers differ.
 */
export const isNumbered = ({ dataType, columnType, labelsAlike }: SourceColumn): boolean =>
  (dataType === "enum" || dataType === "set") &&
  (labelsOf(columnType).some((label) => label.trimEnd() === "") || labelsAlike === true);

const plain = new Set([
  ..."tinyint smallint mediumint int bigint decimal float double year date datetime timestamp time uuid inet4 inet6".split(
    " ",
  ),
]);

function kindOf({ dataType }: SourceColumn, { target, unsigns = false }: TablePlanning): number {
  if (dataType === "enum") return kind.enumeration;
  if (dataType === "json" && !target.server.maria) return kind.document;
  if (!plain.has(dataType)) return kind.text;
  return unsigns && (dataType === "float" || dataType === "double") ? kind.signed : kind.plain;
}

/** Types whose text the server takes as text only, not as bytes. */
const texts: Record<string, string> = { json: "utf8mb4", uuid: "latin1", inet4: "latin1", inet6: "latin1" };

function loadColumn(column: SourceColumn): LoadColumn {
  const { name, dataType } = column;
  if (isNumbered(column)) return { name, value: (field) => `CAST(CONCAT('0', ${field}) AS UNSIGNED)` };
  const charset = texts[dataType];
  return charset === undefined ? { name } : { name, value: (field) => `CONVERT(${field} USING ${charset})` };
}

/**
 * Secondary indexes are left for later, but for those that the table needs from its beginning: what holds the counter,
 * what the rows are stored by where there is no primary key, and functional indexes, which would be built by a copy.
 */
function laterIndexes(source: SourceTable, { items }: TranslatedTable, without: ReadonlySet<Item>): string[][] {
  if (source.dataBytes < smallBytes) return [];
  const counter = source.columns.find(({ extra }) => extra.includes("auto_increment"))?.name;
  const hasPrimary = items.some(({ source: item }) => item.kind === "primary");
  const primary = items.find(({ source: item }) => item.kind === "primary");
  let counted = counter === undefined || listedColumns(primary?.text ?? "")[0] === counter;
  const together: string[] = [];
  const alone: string[][] = [];
  for (const { source: item, text } of items) {
    if (text === undefined || without.has(item)) continue;
    if (!["key", "unique", "fulltext", "spatial"].includes(item.kind)) continue;
    if (item.kind === "unique" && !hasPrimary) continue;
    if (!counted && listedColumns(text)[0] === counter) {
      counted = true;
      continue;
    }
    if (/\(\(|,\(/.test(text)) continue;
    // InnoDB builds one of these at a time.
    if (item.kind === "fulltext") alone.push([text]);
    else together.push(text);
  }
  return [...(together.length > 0 ? [together] : []), ...alone];
}

/** The statement that makes the table, with its comment (SQL) and without what comes later. `database` undefined: the session's. */
export function createStatement(plan: TablePlan, database: string | undefined, comment: string): string {
  const later = new Set(plan.later.flat());
  const items = plan.translated.items.flatMap(({ source, text }) => {
    if (text === undefined || later.has(text) || source.kind === "foreign") return [];
    if (!plan.without.has(source)) return [text];
    const less = lessened(source, text);
    return less === undefined ? [] : [less];
  });
  const options = [...plan.translated.options.map(optionText), `COMMENT=${comment}`];
  const name = database === undefined ? identifier(plan.name) : qualified(database, plan.name);
  return `CREATE TABLE ${name} (\n  ${items.join(",\n  ")}\n) ${options.join(" ")}\n${plan.translated.partitions}`;
}

/** A column without what the server does not take: its expression. Anything else goes wholly. */
function lessened(item: Item, text: string): string | undefined {
  if (item.kind !== "column") return undefined;
  const generated = / GENERATED ALWAYS AS /.exec(text);
  if (generated !== null)
    return cutExpression(text, generated.index, generated[0].length).replace(/ (?:VIRTUAL|STORED|PERSISTENT)\b/, "");
  const at = drawsNumbers(text) ? positionOf(text, " DEFAULT ") : -1;
  if (at >= 0) return text.slice(0, at) + text.slice(endOfDefault(text, at + " DEFAULT ".length));
  const value = / DEFAULT (?=\()/.exec(text);
  if (value !== null) return cutExpression(text, value.index, value[0].length);
  const check = / CHECK (?=\()/.exec(text);
  if (check === null) return text;
  return cutExpression(text, check.index, check[0].length).replace(/ CONSTRAINT `(?:[^`]|``)*`(?= |$)/, "");
}

function cutExpression(text: string, at: number, head: number): string {
  let depth = 0;
  let quote = "";
  for (let index = at + head; index < text.length; index++) {
    const letter = text[index] as string;
    if (quote !== "") {
      if (letter === "\\" && quote === "'") index++;
      else if (letter === quote) quote = "";
    } else if (letter === "'" || letter === "`") quote = letter;
    else if (letter === "(") depth++;
    else if (letter === ")" && --depth === 0) return text.slice(0, at) + text.slice(index + 1);
  }
  return text;
}
