import { expect, test } from "vitest";
import type { SourceTable } from "../catalogue/catalogue.ts";
import { refuseLostParts } from "./complete.ts";
import { parseDefinition } from "./definition.ts";

const definition = parseDefinition(`CREATE TABLE \`t\` (
  \`a\` int(11) DEFAULT NULL CHECK (\`a\` > 0),
  PRIMARY KEY (\`a\`),
  KEY \`k\` (\`a\`),
  CONSTRAINT \`f\` FOREIGN KEY (\`a\`) REFERENCES \`t\` (\`a\`),
  PERIOD FOR \`p\` (\`b\`, \`c\`),
  CONSTRAINT \`c\` CHECK (\`a\` < 9)
) ENGINE=InnoDB`);
const named = (...names: string[]) => names.map((name) => ({ name }));
const table = (parts: object) =>
  ({ name: "t", columns: [], indexes: [], foreignKeys: [], checks: [], ...parts }) as unknown as SourceTable;

test("a text with every part of the catalogue is taken, a column's own check and a period's among them", () => {
  const parts = {
    columns: named("a"),
    indexes: named("PRIMARY", "k"),
    foreignKeys: named("f"),
    checks: [...named("a", "c"), { name: "p_1", period: "p" }],
  };
  expect(refuseLostParts(definition, table(parts))).toBeUndefined();
});

test.each([
  ["column b", { columns: named("a", "b") }],
  ["index l", { indexes: named("l", "k") }],
  ["foreign key g", { foreignKeys: named("g") }],
  ["check d", { checks: named("c", "d") }],
  ["check p", { checks: named("c", "p") }],
])("a text without %s is refused", (lost, parts) => {
  expect(() => refuseLostParts(definition, table(parts))).toThrow(
    expect.objectContaining({ code: "schema_unreadable", message: expect.stringContaining(`completely: ${lost} not`) }),
  );
});
