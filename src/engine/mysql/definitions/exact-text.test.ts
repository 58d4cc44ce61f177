import { expect, test } from "vitest";
import type { SourceColumn, SourceTable } from "../catalogue/catalogue.ts";
import type { Server } from "../driver/session.ts";
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
  collation: "",
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

const server = (maria: boolean): Server => ({ maria, version: maria ? 101_100 : 90_700, versionText: "" });

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
  [
    "an expression's text is its own",
    "`c` float DEFAULT (1.23456)",
    { dataType: "float", default: "1.23456", extra: "default_generated" },
    false,
    "`c` float DEFAULT (1.23456)",
  ],
])("%s", (_, shown, column, maria, expected) => {
  const { items, doubts } = exactDefinition(definition(shown), tableWith(column), server(maria), server(maria));
  expect(items.map(({ text }) => text)).toEqual([expected]);
  expect(doubts).toBeUndefined();
});

test.each<[string, string, string, string, boolean]>([
  ["MySQL", "'3.40282e38'", "3.4028234663852886e38", "(3.4028234663852886e38 + 0e0)", false],
  ["MariaDB", "-1.17549e-38", "-1.1754943508222875e-38", "(-1.1754943508222875e-38 + 0e0)", true],
])("a FLOAT's default of %s has all its digits", (_, shown, value, expected, maria) => {
  const { items, doubts } = exactDefinition(
    definition(`\`c\` float NOT NULL DEFAULT ${shown} COMMENT ' DEFAULT 1'`),
    tableWith({ dataType: "float", default: value }),
    server(maria),
    server(maria),
  );
  expect(items.map(({ text }) => text)).toEqual([`\`c\` float NOT NULL DEFAULT ${expected} COMMENT ' DEFAULT 1'`]);
  expect(doubts?.map(({ outcome }) => outcome)).toEqual(["converted"]);
});

test("what cannot be told is a doubt of its column", () => {
  const { doubts } = exactDefinition(
    definition("`c` enum('?') DEFAULT NULL"),
    tableWith({ dataType: "enum", columnType: "enum('?')", labelsInDoubt: true }),
    server(true),
    server(true),
  );
  expect(doubts?.map(({ item, note }) => [item.name, note.includes("labels that no row has")])).toEqual([["c", true]]);
});

test("texts are compared as they are shown, however many question marks stand for a character", () => {
  expect(asShown("a😀b????c?")).toBe("a?b?c?");
});
