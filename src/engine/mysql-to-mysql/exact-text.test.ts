import { expect, test } from "vitest";
import type { SourceColumn, SourceTable } from "../mysql/catalogue.ts";
import { parseDefinition } from "./definition.ts";
import { asShown, exactDefinition } from "./exact-text.ts";

const tableWith = (column: Partial<SourceColumn>): SourceTable => ({
  name: "t",
  engine: "InnoDB",
  versioned: false,
  partitions: null,
  rows: 0,
  dataBytes: 0,
  indexBytes: 0,
  autoIncrement: null,
  comment: "",
  columns: [
    {
      name: "c",
      dataType: "varchar",
      columnType: "varchar(9)",
      nullable: true,
      default: null,
      extra: "",
      characters: 9,
      precision: null,
      scale: null,
      fraction: 0,
      characterSet: "utf8mb4",
      collation: "utf8mb4_bin",
      comment: "",
      generation: "",
      srid: null,
      ...column,
    },
  ],
  indexes: [],
  foreignKeys: [],
  checks: [],
});

const definition = (column: string) => parseDefinition(`CREATE TABLE \`t\` (\n  ${column}\n) ENGINE=InnoDB`);

test.each<[string, string, Partial<SourceColumn>, boolean, string]>([
  [
    "labels are the rows'",
    "`c` enum('a?','(b)') NOT NULL DEFAULT 'a?'",
    { dataType: "enum", columnType: "enum('a😀','(b)')" },
    false,
    "`c` enum('a😀','(b)') NOT NULL DEFAULT 'a?'",
  ],
  [
    "MariaDB's default is the catalogue's",
    "`c` varchar(9) DEFAULT 'x??' COMMENT 'DEFAULT'",
    { default: "'x😀?'" },
    true,
    "`c` varchar(9) DEFAULT 'x😀?' COMMENT 'DEFAULT'",
  ],
  [
    "MySQL's is in hex already",
    "`c` varchar(9) DEFAULT 0x78F09F9880",
    { default: "x😀" },
    false,
    "`c` varchar(9) DEFAULT 0x78F09F9880",
  ],
])("%s", (_, shown, column, maria, expected) => {
  const { items, doubts } = exactDefinition(definition(shown), tableWith(column), maria);
  expect(items.map(({ text }) => text)).toEqual([expected]);
  expect(doubts).toBeUndefined();
});

test("what cannot be told is a doubt of its column", () => {
  const { doubts } = exactDefinition(
    definition("`c` enum('?') DEFAULT NULL"),
    tableWith({ dataType: "enum", columnType: "enum('?')", labelsInDoubt: true }),
    true,
  );
  expect(doubts?.map(({ item, note }) => [item.name, note.includes("labels that no row has")])).toEqual([["c", true]]);
});

test("texts are compared as they are shown, however many question marks stand for a character", () => {
  expect(asShown("a😀b????c?")).toBe("a?b?c?");
});
