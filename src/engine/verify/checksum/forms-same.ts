import { labelsOf } from "../../mysql/catalogue/catalogue-text.ts";
import type { Hash } from "./dialect.ts";
import {
  type ComparedForm,
  type Expression,
  isBinary,
  mysql,
  mysqlIntegers,
  mysqlReals,
  mysqlShapes,
  mysqlTexts,
  postgres,
  postgresTexts,
  same,
} from "./expressions.ts";
import type { MysqlType, PostgresType } from "./types.ts";

/** The forms of a column that goes to the same engine: all on the servers, but JSON into MySQL's own type. */

export function mysqlForm(
  source: { name: string; type: MysqlType },
  target: { name: string; type: MysqlType },
  hash: Hash,
): ComparedForm {
  const [from, to] = [mysql.column(source.name), mysql.column(target.name)];
  const isJson = (type: MysqlType) => type.name === "json" || type.json;
  const native = (type: MysqlType) => type.name === "json";
  // MySQL's own type may hold decimals, of which a server that reads their text makes doubles.
  if (isJson(source.type) && isJson(target.type) && (native(source.type) || native(target.type))) {
    const text = (column: string, type: MysqlType) => (native(type) ? mysql.asText(column) : mysql.text(column, type));
    const texts = { source: text(from, source.type), target: text(to, target.type) };
    return {
      source: same(texts.source),
      target: same(texts.target),
      canonicalForm: "json-double",
      fast: { source: mysql.hashed(hash, texts.source), target: mysql.hashed(hash, texts.target) },
    };
  }
  if (isPlainText(target.type) && isWritten(source.type)) {
    const written = mysqlTexts.has(source.type.name) ? mysql.text(from, source.type) : mysql.asText(from);
    return { source: mysql.hashed(hash, written), target: mysql.hashed(hash, mysql.text(to, target.type)) };
  }
  if (source.type.name === "date" && /^(datetime|timestamp)$/.test(target.type.name))
    return { source: same(`CONCAT(${from}, ' 00:00:00')`), target: same(mysql.trimmed(to, target.type.fraction)) };
  if (source.type.rowEnd === true && target.type.rowEnd === true) {
    // The end of a present row is another time from MariaDB 11.5 on.
    const end = (column: string) => same(`IF(${column} > '2038-01-19 03:14:07', 'present', ${column})`);
    return { source: end(from), target: end(to) };
  }
  const unlike = source.type.maria !== target.type.maria || source.type.full !== target.type.full;
  if (unlike && mysqlReals.has(source.type.name) && mysqlReals.has(target.type.name)) {
    const how = { unsigned: source.type.unsignedZero || target.type.unsignedZero, float: bothFloat(source, target) };
    const written = {
      source: same(mysql.real(from, source.type, how)),
      target: same(mysql.real(to, target.type, how)),
    };
    // MySQL writes 1e-5 as such, MariaDB, and MySQL's JSON, as 0.00001.
    return { ...written, canonicalForm: how.float ? "real" : "double", fast: written };
  }
  const around: Around = {
    hash,
    unsigned: source.type.unsignedZero || target.type.unsignedZero,
    float: bothFloat(source, target),
    vector: [source, target].some(({ type }) => type.name === "vector"),
    alike: source.type.characterSet === target.type.characterSet,
    texts: mysqlTexts.has(source.type.name) && mysqlTexts.has(target.type.name),
    scaled: source.type.scale !== target.type.scale || source.type.fraction !== target.type.fraction,
    listed: labelsOf(source.type.full).join("\0") === labelsOf(target.type.full).join("\0"),
  };
  return { source: ofMysql(from, source.type, around), target: ofMysql(to, target.type, around) };
}

const isPlainText = (type: MysqlType): boolean => /^(char|varchar|\w*text)$/.test(type.name) && !isBinary(type);

/** No text itself, and into a text column it is copied as the server writes it. */
const isWritten = (type: MysqlType): boolean =>
  !isPlainText(type) && !isBinary(type) && !mysqlShapes.has(type.name) && !/^(bit|vector)$/.test(type.name);

const bothFloat = (...sides: readonly { type: MysqlType }[]): boolean =>
  sides.every(({ type }) => type.name === "float");

interface Around {
  hash: Hash;
  unsigned: boolean;
  /** Both sides are FLOAT. */
  float: boolean;
  /** Texts of both sides are in one character set: their bytes are compared, also those that are no text in it. */
  alike: boolean;
  /** Both sides are. */
  texts: boolean;
  /** The sides keep different numbers of digits after the point. */
  scaled: boolean;
  /** Both sides have the same labels in one order. */
  listed: boolean;
  /** One of them is a vector, and the other may be its bytes. */
  vector: boolean;
}

function ofMysql(column: string, type: MysqlType, around: Around): Expression {
  const { hash, unsigned, float, alike, texts, scaled, listed, vector } = around;
  if (mysqlIntegers.has(type.name) || type.name === "bit") return same(`${column} + 0`);
  if (type.name === "decimal") {
    const plain = /zerofill/.test(type.full) ? `${column} + 0` : column;
    return same(scaled ? mysql.trimmed(plain, type.scale) : plain);
  }
  if (mysqlReals.has(type.name)) return same(mysql.real(column, type, { unsigned, float }));
  if (type.name === "json") return mysql.hashed(hash, mysql.asText(column));
  if (type.name === "enum") {
    const { args, plain } = mysql.whole(hash, mysql.text(column, type), type.length);
    // The number tells labels of one text apart; without a list that is the same, only that it is a label at all.
    return { args: [listed ? `${column} + 0` : `${column} + 0 = 0`, ...args], plain };
  }
  // No member and the member '' have one text, and so have two of one label.
  if (type.name === "set" && listed) {
    const { args, plain } = mysql.hashed(hash, mysql.text(column, type));
    return { args: [`CAST(${column} AS UNSIGNED)`, ...args], plain };
  }
  if (isBinary(type) && !vector) return { ...mysql.whole(hash, column, boundOf(type)), plain: `HEX(${column})` };
  if (mysqlShapes.has(type.name)) return mysql.hashedBytes(hash, column);
  if (vector) return mysql.hashedBytes(hash, `UNHEX(HEX(${column}))`);
  if (mysqlTexts.has(type.name)) {
    const plain = mysql.text(column, type);
    if (!texts) return mysql.hashed(hash, plain);
    const raw = type.characterSet === "utf8mb4" ? column : `CAST(${column} AS BINARY)`;
    return { ...mysql.whole(hash, alike && type.name !== "set" ? raw : plain, boundOf(type)), plain };
  }
  if (/^(date|datetime|timestamp|time)$/.test(type.name))
    return same(scaled ? mysql.trimmed(column, type.fraction) : column);
  // MariaDB's uuid, inet4, inet6 and what is yet to come.
  return mysql.hashed(hash, mysql.asText(column));
}

/** Characters, or bytes, at most; null: a *TEXT or *BLOB, whose length is a limit only. */
const boundOf = ({ name, length }: MysqlType) => (/text|blob/.test(name) ? null : length);

/** Their text is short and has no comma, and is written alike by a cast and by output. */
const fixed = new Set([
  ..."int2 int4 int8 oid xid cid xid8 float4 float8 numeric date timestamp timestamptz time timetz uuid".split(" "),
]);

/** The bytes of texts are the same on both sides: bytes of no known encoding are copied as they are. */
const areAlike = ({ source, target }: { source: string; target: string }): boolean =>
  source === target || ([source, target].includes("SQL_ASCII") && ![source, target].includes("UTF8"));

/** `encodings`: of the servers; where they are alike, texts are compared as they are. */
export function postgresForm(
  source: { name: string; type: PostgresType },
  target: { name: string; type: PostgresType },
  encodings: { source: string; target: string },
  hash: Hash,
): ComparedForm {
  const alike = areAlike(encodings);
  const converted = postgresConverted(source, target, alike, hash);
  if (converted !== undefined) return converted;
  const scaled = source.type.scale !== target.type.scale || source.type.name !== target.type.name;
  const expression = (name: string, { name: type, schema, length, xml }: PostgresType): Expression => {
    const column = postgres.column(name);
    const text = xml === undefined ? postgres.text(column) : xml.text(column);
    const builtin = schema === "pg_catalog";
    if (builtin && type === "bytea") return postgres.hashedBytes(hash, column);
    // Its text depends on the server's locale.
    if (builtin && type === "money") return same(`pg_catalog.cash_send(${column})`);
    if (builtin && type === "numeric" && scaled) return same(postgres.trimmed(column));
    if (builtin && fixed.has(type)) return { args: [column], plain: text };
    if (builtin && type === "bool") return same(text);
    if (builtin && type === "bpchar") return postgres.hashed(hash, postgres.output(column), alike);
    if (alike && postgresTexts.has(type)) return postgres.whole(hash, text, type === "varchar" ? length : null);
    return postgres.hashed(hash, text, alike);
  };
  return { source: expression(source.name, source.type), target: expression(target.name, target.type) };
}

/** Of two types of which the target's server has read the source's text. */
function postgresConverted(
  source: { name: string; type: PostgresType },
  target: { name: string; type: PostgresType },
  alike: boolean,
  hash: Hash,
): ComparedForm | undefined {
  const [from, to] = [postgres.column(source.name), postgres.column(target.name)];
  const is = (name: string) => [source.type, target.type].filter((type) => builtin(type, name)).length;
  const hashed = (one: string, other: string): ComparedForm => ({
    source: postgres.hashed(hash, one, alike),
    target: postgres.hashed(hash, other, alike),
  });
  // Blanks at its end fill a char(n) up, and are no part of its value.
  const bare = (column: string) => `pg_catalog.rtrim(${postgres.text(column)}, ' ')`;
  if (builtin(target.type, "bpchar") && (is("bpchar") === 1 || source.type.length !== target.type.length)) {
    const text = postgresTexts.has(source.type.name) ? postgres.text(from) : written(source);
    return hashed(is("bpchar") === 2 ? bare(from) : text, bare(to));
  }
  if (postgresTexts.has(target.type.name) && !postgresTexts.has(source.type.name))
    return hashed(written(source), postgres.text(to));
  if (builtin(source.type, "date") && builtin(target.type, "timestamp")) {
    // Later ones are no timestamp.
    const moment = `CASE WHEN ${from} <= '294276-12-31' OR ${from} = 'infinity' THEN ${from}::pg_catalog.timestamp::pg_catalog.text ELSE ${postgres.text(from)} END`;
    return { source: same(moment), target: same(postgres.text(to)) };
  }
  // The text of money depends on the server's locale.
  if (is("money") === 1) {
    const number = (column: string) => same(postgres.trimmed(`(${column}::pg_catalog.numeric)`));
    return { source: number(from), target: number(to) };
  }
  return undefined;
}

/** What the copy reads. */
function written({ name, type }: { name: string; type: PostgresType }): string {
  const column = postgres.column(name);
  if (type.xml !== undefined) return type.xml.text(column);
  return builtin(type, "xml") ? postgres.text(column) : postgres.output(column);
}

const builtin = ({ name, schema }: PostgresType, type: string): boolean => schema === "pg_catalog" && name === type;
