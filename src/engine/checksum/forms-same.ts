import type { Hash } from "./dialect.ts";
import {
  type Expression,
  type Form,
  isBinary,
  isLong,
  mysql,
  mysqlIntegers,
  mysqlShapes,
  mysqlTexts,
  postgres,
  same,
  type Uncompared,
} from "./expressions.ts";
import type { MysqlType, PostgresType } from "./types.ts";

/** The forms of a column that goes to the same engine: all on the servers, but MariaDB's JSON text into MySQL's own type. */

export function mysqlForm(
  source: { name: string; type: MysqlType },
  target: { name: string; type: MysqlType },
  hash: Hash,
): Form | Uncompared {
  const [from, to] = [mysql.column(source.name), mysql.column(target.name)];
  const isJson = (type: MysqlType) => type.name === "json" || type.json;
  if (target.type.name === "json" && source.type.name !== "json" && isJson(source.type))
    return {
      source: same(mysql.text(from, source.type)),
      target: same(mysql.asText(to)),
      canon: "json-double",
    };
  const long = isLong(source.type) || isLong(target.type);
  const expression = (column: string, type: MysqlType): Expression => {
    if (mysqlIntegers.has(type.name) || type.name === "bit") return same(`${column} + 0`);
    if (type.name === "decimal") return same(/zerofill/.test(type.full) ? `${column} + 0` : column);
    // A float's own text is rounded to six digits.
    if (type.name === "float" || type.name === "double") return same(mysql.asText(`${column} * 1e0`));
    if (type.name === "json") return mysql.piece(hash, mysql.asText(column), true);
    if (type.name === "enum")
      return same(`CONCAT(${column} + 0, ':', LENGTH(${column}), ':', ${mysql.text(column, type)})`);
    if (isBinary(type)) return mysql.bytes(hash, column);
    if (mysqlShapes.has(type.name) || type.name === "vector") return mysql.bytes(hash, `UNHEX(HEX(${column}))`);
    if (mysqlTexts.has(type.name)) return mysql.piece(hash, mysql.text(column, type), long);
    if (/^(date|datetime|timestamp|time)$/.test(type.name)) return same(mysql.asText(column));
    // MariaDB's uuid, inet4, inet6 and what is yet to come.
    return mysql.piece(hash, mysql.asText(column), long);
  };
  return { source: expression(from, source.type), target: expression(to, target.type) };
}

const fixed = new Set([
  ..."int2 int4 int8 oid bool float4 float8 numeric date timestamp timestamptz time timetz uuid".split(" "),
]);

/** `utf8`: whether each server's encoding is UTF-8; where they are equal, texts are compared as they are. */
export function postgresForm(
  source: { name: string; type: PostgresType },
  target: { name: string; type: PostgresType },
  utf8: { source: boolean; target: boolean },
  hash: Hash,
): Form | Uncompared {
  const alike = utf8.source === utf8.target;
  const long = isLong(source.type) || isLong(target.type);
  const expression = (name: string, type: PostgresType): Expression => {
    const column = postgres.column(name);
    if (type.name === "bytea" && type.schema === "pg_catalog") return postgres.bytes(hash, column);
    // Its text depends on the server's locale.
    if (type.name === "money" && type.schema === "pg_catalog")
      return same(`pg_catalog.cash_send(${column})::pg_catalog.text`);
    if (fixed.has(type.name) && type.schema === "pg_catalog") return same(postgres.text(column));
    return postgres.piece(hash, postgres.text(column), long, alike);
  };
  return { source: expression(source.name, source.type), target: expression(target.name, target.type) };
}
