import { expect, test } from "vitest";
import type { SourceColumn } from "../../../mysql/catalogue/catalogue.ts";
import type { ColumnPlan } from "../columns/column-plan.ts";
import { targetType } from "../columns/types.ts";
import { keyLength, longestKey } from "./key-length.ts";

const column = (more: Partial<SourceColumn>): ColumnPlan => {
  const source: SourceColumn = {
    name: "c",
    dataType: "varchar",
    columnType: "varchar(10)",
    nullable: true,
    default: null,
    extra: "",
    characters: 10,
    precision: null,
    scale: null,
    fraction: 0,
    characterSet: "utf8mb4",
    collation: null,
    comment: "",
    generation: "",
    srid: null,
    ...more,
  };
  const type = targetType(source, { inForeignKey: false, isJson: false, observed: { wide: 0, nullable: false } });
  return {
    source,
    name: "c",
    type,
    sql: type.sql,
    nullable: true,
    identity: false,
    computed: false,
    wide: 0,
    forced: false,
  };
};
const varchar = (characters: number, characterSet = "utf8mb4") => column({ characters, characterSet });

test.each<[string, ColumnPlan[], number | null, boolean]>([
  ["varchar(255)", [varchar(255)], null, true],
  ["two varchar(255)", [varchar(255), varchar(255)], null, true],
  ["varchar(768)", [varchar(768)], null, false],
  ["varchar(768) of which 191 count", [varchar(768)], 191, true],
  ["varchar(1000) in ascii", [varchar(1000, "ascii")], null, true],
  ["varchar(1000) in latin1", [varchar(1000, "latin1")], null, false],
  ["varbinary(2600)", [column({ dataType: "varbinary", characters: 2600, characterSet: null })], null, true],
  ["varbinary(2700)", [column({ dataType: "varbinary", characters: 2700, characterSet: null })], null, false],
  ["text, which MariaDB keeps unique by a hash", [column({ dataType: "text", characters: 65535 })], null, false],
  ["sixteen numbers", Array.from({ length: 16 }, () => column({ dataType: "bigint", characters: null })), null, true],
  ["an enum", [column({ dataType: "enum", columnType: `enum('${"x".repeat(60)}')` })], null, true],
])("%s: whether every key fits into a B-tree", (_, columns, prefix, fits) => {
  const parts = columns.map((plan) => ({
    column: plan,
    part: { column: "c", expression: null, prefix, descending: false },
  }));
  expect(keyLength(parts) <= longestKey).toBe(fits);
});
