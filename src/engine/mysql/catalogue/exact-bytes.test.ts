import { expect, test } from "vitest";
import { bytesIn } from "./exact-bytes.ts";

const shown = (column: string) =>
  `CREATE TABLE \`t\` (\n  \`id\` int NOT NULL,\n  ${column},\n  PRIMARY KEY (\`id\`)\n)`;

test.each<[string, string, string, string | undefined]>([
  ["bytes as they are", "b", "`b` varbinary(5) NOT NULL DEFAULT '\xffA' COMMENT 'DEFAULT 0x00'", "ff41"],
  ["escapes", "b", "`b` varbinary(9) DEFAULT '\\\\\\n\\0''\xe9'", "5c0a0027e9"],
  ["hex", "b", "`b` binary(2) DEFAULT 0x80FF", "80ff"],
  ["none", "b", "`b` binary(2) NOT NULL COMMENT ' DEFAULT 0x80FF'", undefined],
  ["an expression", "b", "`b` varbinary(2) DEFAULT unhex('ff')", undefined],
  ["a name of other letters", "é", "`\xc3\xa9` varbinary(2) DEFAULT '\xfe'", "fe"],
])("the default of a column of bytes: %s", (_, name, column, expected) => {
  expect(bytesIn(shown(column), name)?.toString("hex")).toBe(expected);
});
