import { expect, test } from "vitest";
import type { SourceColumn } from "../../../mysql/catalogue/catalogue.ts";
import { targetDefault } from "./defaults.ts";
import { targetType } from "./types.ts";

const column = (more: Partial<SourceColumn>): SourceColumn => ({
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
  collation: "utf8mb4_bin",
  comment: "",
  generation: "",
  srid: null,
  ...more,
});

const text = {};
const bit = { dataType: "bit", columnType: "bit(3)", precision: 3 };
const flag = { dataType: "tinyint", columnType: "tinyint(1)" };
const bytes = { dataType: "varbinary", columnType: "varbinary(5)", characterSet: null, collation: null };
const stamp = { dataType: "timestamp", columnType: "timestamp(3)", fraction: 3 };
const generated = "default_generated";
const now3 = "date_trunc('milliseconds', CURRENT_TIMESTAMP)";

test.each<[string, boolean, Partial<SourceColumn>, string | undefined]>([
  ["MySQL's bare text", false, { ...text, default: "it's" }, "'it''s'"],
  ["MySQL's text that looks like MariaDB's", false, { ...text, default: "'x'" }, "'''x'''"],
  ["MySQL's text NULL", false, { ...text, default: "NULL" }, "'NULL'"],
  [
    "MySQL's text current_timestamp in a varchar",
    false,
    { ...text, default: "current_timestamp" },
    "'current_timestamp'",
  ],
  ["MariaDB's quoted text", true, { ...text, default: "'it''s \\\\'" }, " E'it''s \\\\'"],
  ["MariaDB's NULL", true, { ...text, default: "NULL" }, undefined],
  ["no default", true, { ...text, default: null }, undefined],
  ["a number", true, { dataType: "int", columnType: "int(11)", default: "-5" }, "-5"],
  ["an expression of MySQL", false, { ...text, default: "uuid()", extra: generated }, "reported"],
  ["an expression of MariaDB", true, { ...text, default: "uuid()" }, "reported"],
  ["the time, MySQL", false, { ...stamp, default: "CURRENT_TIMESTAMP(3)", extra: generated }, now3],
  ["the time, MariaDB", true, { ...stamp, default: "current_timestamp(3)" }, now3],
  [
    "the time without a zone",
    true,
    { ...stamp, dataType: "datetime", default: "current_timestamp()" },
    "date_trunc('second', LOCALTIMESTAMP)",
  ],
  ["a date that does not exist", true, { ...stamp, default: "'0000-00-00 00:00:00'" }, "reported"],
  ["a boolean", false, { ...flag, default: "1" }, "true"],
  ["a boolean that is none", false, { ...flag, default: "7" }, "reported"],
  ["bits", false, { ...bit, default: "b'1'" }, "B'001'"],
  [
    "a time outside of a day, MySQL",
    false,
    { dataType: "time", columnType: "time", default: "30:00:00" },
    "'30:00:00'",
  ],
  [
    "a time before a day, MariaDB",
    true,
    { dataType: "time", columnType: "time", default: "'-01:00:00'" },
    "'-01:00:00'",
  ],
  [
    "a default that the catalogue cannot show",
    true,
    { ...text, default: "'?x'", defaultInDoubt: "characters" },
    "reported",
  ],
  ["bytes", false, { ...bytes, default: "0x00FF41" }, " E'\\\\x00ff41'::bytea"],
  ["no bytes", true, { ...bytes, default: "''" }, " E'\\\\x'::bytea"],
  ["bytes that are plain text, MariaDB", true, { ...bytes, default: "'a''b'" }, " E'\\\\x612762'::bytea"],
  ["labels", false, { dataType: "set", columnType: "set('a','b')", default: "a,b" }, "ARRAY['a', 'b']::text[]"],
])("%s", (_, maria, more, expected) => {
  const source = column(more);
  const type = targetType(source, { inForeignKey: false, isJson: false, observed: { wide: 0, nullable: false } });
  const found = targetDefault(source, type, maria);
  expect(found === undefined ? undefined : "sql" in found ? found.sql : "reported").toBe(expected);
});
