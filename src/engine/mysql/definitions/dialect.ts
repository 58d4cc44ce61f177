import { engineName, mysqlEngine } from "../../contract/text/engine-name.ts";
import type { Server } from "../driver/session.ts";
import { nearestCollation } from "./collations.ts";
import {
  bare,
  type Definition,
  endOfDefault,
  type Item,
  type Option,
  optionText,
  outside,
  piecesOf,
  positionOf,
  splitList,
  unwrapped,
} from "./definition.ts";
import { hasOtherBytes, withoutIntroducers } from "./introducers.ts";

/**
 * A table's text for the target's server: as it is where both are of one kind, in the other's words where they are not.
 * What has no words there is left out and noted. Pure.
 */
export interface Traits {
  server: Server;
  collations: ReadonlySet<string>;
  /** Upper case. */
  engines: ReadonlySet<string>;
}

export interface TranslatedTable {
  /** `text` as the target is given it; undefined: left out. */
  items: { source: Item; text: string | undefined }[];
  options: Option[];
  partitions: string;
  /** What is not as in the source; `item` is undefined for the table itself. */
  notes: { item: Item | undefined; outcome: "converted" | "reported"; note: string; kind?: "partitions" }[];
}

type Say = (outcome: "converted" | "reported", note: string) => void;

/** Left out, for a reason that is noted. */
function omitted(say: Say, note: string): undefined {
  say("reported", note);
}

export function translate(definition: Definition, source: Server, target: Traits): TranslatedTable {
  const notes: TranslatedTable["notes"] = [];
  const crossing = source.maria !== target.server.maria;
  const tableCollation = definition.options.find(({ key }) => key === "COLLATE")?.value;
  const items = definition.items.map((item) => {
    const say: Say = (outcome, note) => notes.push({ item, outcome, note });
    return { source: item, text: itemText(item, source, target, { crossing, tableCollation }, say) };
  });
  const say: Say = (outcome, note) => notes.push({ item: undefined, outcome, note });
  const gone = new Set(
    items.flatMap(({ source: item, text }) => (item.kind === "column" && text === undefined ? [item.name] : [])),
  );
  return {
    items:
      gone.size === 0
        ? items
        : items.map((one) => ({ ...one, text: one.text && withoutColumns(one.source, one.text, gone) })),
    options: tableOptions(
      definition.options,
      definition.partitions === "" ? target : partitioned(target),
      crossing,
      say,
    ),
    partitions: partitionsText(definition.partitions, crossing, partitioned(target), (outcome, note) =>
      notes.push({ item: undefined, outcome, note, kind: "partitions" }),
    ),
    notes,
  };
}

interface Way {
  crossing: boolean;
  tableCollation: string | undefined;
}

function itemText(
  item: Item,
  source: Server,
  target: Traits,
  { crossing, tableCollation }: Way,
  say: Say,
): string | undefined {
  if (item.kind === "check" && hasOtherBytes(item.text))
    return omitted(say, "omitted: the source's server shows letters of another character set by ambiguous bytes");
  if (item.kind === "vector" && !(target.server.maria && target.server.version >= mariaWithVectors))
    return omitted(say, "the target's server has no indexes of vectors");
  const shown = withCollations(item.text, target, say);
  const collated = item.kind === "column" ? vectorFor(shown, target, say) : shown;
  if (!crossing) return source.maria || item.kind !== "column" ? collated : withoutOwn(collated, tableCollation);
  if (item.kind === "other") return omitted(say, "Rowferry has no words for it on the target's server");
  if (item.kind === "period") return omitted(say, "the target's server knows no periods");
  const plain = source.maria ? unwrapped(collated) : withoutIntroducers(unwrapped(collated));
  if (item.kind === "column") return source.maria ? columnForMysql(item, plain, say) : columnForMaria(plain, say);
  if (!source.maria && item.kind === "check" && / NOT ENFORCED$/.test(bare(plain)))
    return omitted(
      say,
      "the target's server enforces every check, and this one is not enforced in the source: omitted",
    );
  if (!source.maria) return keyForMaria(plain);
  if (/ WITHOUT OVERLAPS\b/.test(bare(plain))) return omitted(say, "MySQL has no keys over periods");
  return plain.replace(/ IGNORED$/, " INVISIBLE");
}

/**
 * MySQL shows a column's collation also where the column has it of its table, and the character set with it only where the
 * column has its own: what is of the table is left to it, so that it is shown alike again.
 */
const withoutOwn = (text: string, collation: string | undefined): string =>
  collation === undefined || / CHARACTER SET /.test(bare(text))
    ? text
    : outside(text, (between) => between.replace(new RegExp(` COLLATE ${collation}(?![a-z0-9_])`), ""));

/** A key without columns that are left out: MariaDB puts the end of a row's validity into every unique key. */
function withoutColumns({ kind }: Item, text: string, gone: ReadonlySet<string>): string {
  if (!["primary", "unique", "key"].includes(kind)) return text;
  const open = text.indexOf(" (") + 1;
  const { parts, end } = splitList(text, open + 1);
  const kept = parts.filter((part) => !listedColumns(`(${part})`).some((name) => gone.has(name)));
  return `${text.slice(0, open)}(${kept.join(",")})${text.slice(end)}`;
}

const keyForMaria = (text: string): string => outside(text, (between) => between.replace(/ INVISIBLE\b/, " IGNORED"));

function withCollations(text: string, target: Traits, say: Say): string {
  const has = (name: string) => target.collations.has(name);
  const missing = new Map<string, string>();
  const changed = outside(text, (between) =>
    between.replace(/\bCOLLATE ([a-z0-9_]+)/gi, (whole, collation: string) => {
      const near = nearestCollation(collation, has);
      if (near === undefined || near === collation) return whole;
      missing.set(collation, near);
      return `COLLATE ${near}`;
    }),
  );
  for (const [from, to] of missing) say("converted", `collation ${from} became ${to}, which the target's server knows`);
  return changed;
}

/** Where a column's type ends and its attributes begin: after the name, one word and its brackets. */
const typePattern = /^(`(?:[^`]|``)*`) (\w+)(\((?:'(?:[^'\\]|''|\\[\s\S])*'(?!')|[^()'])*\))?/;

/** Bytes of a vector's element. */
const elementBytes = 4;
const mariaWithVectors = 110700;
const mysqlWithVectors = 90000;

function vectorFor(text: string, { server }: Traits, say: Say): string {
  if (server.version >= (server.maria ? mariaWithVectors : mysqlWithVectors)) return text;
  const [whole = "", name = "", type = "", size = ""] = typePattern.exec(text) ?? [];
  if (type !== "vector") return text;
  say(
    "converted",
    `a vector became its bytes in varbinary, since this ${engineName(mysqlEngine(server))} has no vectors`,
  );
  return `${name} varbinary(${Number(size.slice(1, -1)) * elementBytes})${text.slice(whole.length)}`;
}

function columnForMaria(text: string, say: Say): string {
  const [whole = "", name = "", type = ""] = typePattern.exec(text) ?? [];
  const rest = text.slice(whole.length);
  let column = text;
  if (type === "geomcollection") column = `${name} geometrycollection${rest}`;
  else if (type === "json") say("converted", "JSON became MariaDB's, which is longtext with a check");
  const generated = /\bGENERATED ALWAYS AS /.test(bare(column));
  return outside(column, (between) => {
    let attributes = between.replace(/ (?:STORAGE|COLUMN_FORMAT) (?:DISK|MEMORY|DEFAULT|FIXED|DYNAMIC)\b/g, "");
    if (/ SRID \d+/.test(attributes)) {
      attributes = attributes.replace(/ SRID \d+/, "");
      say("converted", "the column takes geometries of any SRID: MariaDB does not check it");
    }
    if (generated && / NOT NULL\b/.test(attributes)) {
      attributes = attributes.replace(/ NOT NULL\b/, "");
      say("converted", "NOT NULL was omitted: MariaDB does not take it on a generated column");
    }
    return attributes;
  });
}

/** Types that MySQL does not have, as its own. */
export const mariaTypes: Readonly<Record<string, string>> = {
  uuid: "char(36) CHARACTER SET ascii COLLATE ascii_general_ci",
  inet6: "varchar(39) CHARACTER SET ascii COLLATE ascii_general_ci",
  inet4: "varchar(15) CHARACTER SET ascii COLLATE ascii_general_ci",
};
/** Types whose default has to be an expression in MySQL. */
const large = /^(?:tiny|medium|long)?(?:text|blob)$|^json$|^geometry|point$|linestring$|polygon$|collection$/;

function columnForMysql(item: Item, text: string, say: Say): string | undefined {
  const flat = bare(text);
  if (/\bGENERATED ALWAYS AS ROW (?:START|END)\b/.test(flat))
    return omitted(say, "omitted: MySQL keeps no times and versions of rows");
  const [whole = "", name = "", type = "", size = ""] = typePattern.exec(text) ?? [];
  let column = text;
  const other = mariaTypes[type];
  if (other !== undefined) {
    column = `${name} ${other}${text.slice(whole.length)}`;
    say("converted", `${type} became ${other.split(" ")[0]}, with its text`);
  } else if (type === "vector") column = `${name} vector${size}${text.slice(whole.length)}`;
  column = outside(column, (between) => {
    if (/ COMPRESSED\b/.test(between)) say("converted", "the column is not compressed: MySQL compresses tables only");
    return between.replace(/ COMPRESSED(?:=\w+)?/, "").replace(/ (?:WITH|WITHOUT) SYSTEM VERSIONING/, "");
  });
  return defaultForMysql(item, column, large.test(type), say);
}

const literalDefault = /^(?:NULL\b|[+-]?\d|'|[bx]'|_\w+'|current_timestamp\b)/i;

/** MariaDB writes an expression bare where MySQL wants brackets around it. */
function defaultForMysql(item: Item, text: string, isLarge: boolean, say: Say): string {
  const at = positionOf(text, " DEFAULT ");
  if (at < 0) return text;
  const start = at + " DEFAULT ".length;
  const end = endOfDefault(text, start);
  const value = text.slice(start, end);
  if (/\b(?:nextval|lastval)\s*\(/i.test(bare(value))) {
    say("reported", `the default ${value} of column ${item.name} was omitted: MySQL has no sequences`);
    return text.slice(0, at) + text.slice(end);
  }
  if (value.startsWith("(") || (literalDefault.test(value) && !(isLarge && !/^NULL\b/i.test(value)))) return text;
  return `${text.slice(0, start)}(${value})${text.slice(end)}`;
}

/** MySQL has partitions of tables that InnoDB or NDB keeps, and of no others. */
const partitioned = (target: Traits): Traits =>
  target.server.maria
    ? target
    : { ...target, engines: new Set([...target.engines].filter((engine) => /^(?:INNODB|NDB)/.test(engine))) };

/** Options that both servers have, and mean alike. */
const shared = new Set([
  "ENGINE",
  "AUTO_INCREMENT",
  "DEFAULT CHARSET",
  "COLLATE",
  "ROW_FORMAT",
  "KEY_BLOCK_SIZE",
  "STATS_PERSISTENT",
  "STATS_AUTO_RECALC",
  "STATS_SAMPLE_PAGES",
  "CHECKSUM",
  "DELAY_KEY_WRITE",
  "PACK_KEYS",
  "AVG_ROW_LENGTH",
  "MAX_ROWS",
  "MIN_ROWS",
]);
/** Places on the source's disks. */
const places = /^(?:(?:DATA|INDEX) DIRECTORY|TABLESPACE|STORAGE)\b/;

function tableOptions(options: readonly Option[], target: Traits, crossing: boolean, say: Say): Option[] {
  return options.flatMap((option): Option[] => {
    const { key, value } = option;
    if (key === "COMMENT") return [];
    if (places.test(key)) {
      say("converted", `${optionText(option)} was omitted: it names a place on the source's server`);
      return [];
    }
    if (key === "ENGINE" && !target.engines.has(value.toUpperCase())) {
      say("converted", `storage engine ${value} became InnoDB: the target's server has no such tables`);
      return [{ key, value: "InnoDB" }];
    }
    if (key === "COLLATE") {
      const near = nearestCollation(value, (name) => target.collations.has(name)) ?? value;
      if (near !== value) say("converted", `collation ${value} became ${near}, which the target's server knows`);
      return [{ key, value: near }];
    }
    if (!crossing || shared.has(key)) return [option];
    if (key === "WITH SYSTEM VERSIONING")
      say("reported", "the versions of rows that are no longer valid were not copied: MySQL keeps none");
    else if (!(key === "ENCRYPTION" && value === "'N'"))
      say("converted", `the option ${optionText(option)} was omitted: the target's server does not know it`);
    return [];
  });
}

function partitionsText(text: string, crossing: boolean, target: Traits, say: Say): string {
  if (text === "") return "";
  let placed = false;
  const pieces = piecesOf(text);
  // A place's value is the quoted piece that follows it.
  const kept = pieces.map((piece, at) => {
    const before = pieces[at - 1];
    const place = / ?(?:(?:DATA|INDEX) DIRECTORY|TABLESPACE) ?= ?$/;
    if (piece.quoted && before !== undefined && !before.quoted && place.test(before.text)) {
      placed = true;
      return "";
    }
    if (piece.quoted) return piece.text;
    return piece.text
      .replace(place, "")
      .replace(/ ?TABLESPACE = \w+/g, "")
      .replace(/\bENGINE = (\w+)/g, (whole, engine: string) =>
        target.engines.has(engine.toUpperCase()) ? whole : "ENGINE = InnoDB",
      );
  });
  if (placed) say("converted", "places of partitions were omitted: they are of the source's server");
  const joined = kept.join("");
  if (!crossing) return joined;
  if (/ PARTITION '' DEFAULT\b/.test(bare(joined).replaceAll(/[\s(,]+/g, " "))) {
    say(
      "reported",
      "partitions were omitted: MySQL has none for all other values (DEFAULT), and no row may be refused",
    );
    return "";
  }
  if (/^PARTITION BY SYSTEM_TIME/.test(joined)) {
    say("reported", "partitions by system time were omitted: MySQL has none");
    return "";
  }
  return unwrapped(joined).replace(/ ALGORITHM = \d/, "");
}

/** Columns of the source that a list of `(…)` names, for whoever wants them: `` (`a`,`b`(3)) `` → a, b. */
export function listedColumns(text: string): string[] {
  const open = text.indexOf("(");
  if (open < 0) return [];
  return splitList(text, open + 1).parts.flatMap((part) => {
    const found = /^\s*`((?:[^`]|``)*)`/.exec(part);
    return found === null ? [] : [(found[1] ?? "").replaceAll("``", "`")];
  });
}
