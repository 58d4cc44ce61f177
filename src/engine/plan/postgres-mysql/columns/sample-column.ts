import type { ColumnDefinition } from "../../../postgres/catalogue/catalogue.ts";

/** A plain column of a built-in type, as the catalogue tells of one: for the tests and the tables of the docs. */
export const sampleColumn = (type: string, more: Partial<ColumnDefinition> = {}): ColumnDefinition => ({
  name: "c",
  type,
  builtin: true,
  spatial: null,
  sort: "b",
  array: false,
  modifier: -1,
  written: type,
  base: null,
  labels: null,
  domain: null,
  notNull: false,
  default: null,
  generated: "",
  identity: "",
  sequence: null,
  collation: null,
  comment: null,
  ...more,
});
