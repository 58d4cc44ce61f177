import { describe, expect, it } from "vitest";
import { requestedShape, type TableShape, usualType } from "./shape.ts";
import { compareShapes } from "./shape-compare.ts";

const create = `CREATE TABLE \`d\`.\`t\` (\`id\` BIGINT NOT NULL AUTO_INCREMENT, \`a\`\`b, (c)\` VARCHAR(20) COLLATE utf8mb4_0900_as_ci DEFAULT 'it''s, \\\\(', \`e\` ENUM('NOT NULL','a,b') COMMENT 'x',
  \`n\` DECIMAL(10, 2) NOT NULL DEFAULT 1.50, \`at\` DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), \`g\` INT GENERATED ALWAYS AS (\`id\` + (1)) STORED,
  \`h\` BINARY(32) GENERATED ALWAYS AS (UNHEX(SHA2(\`e\`, 256))) VIRTUAL INVISIBLE, PRIMARY KEY (\`id\`), UNIQUE KEY \`u\` (\`e\`, \`n\` DESC), KEY \`k\` (\`a\`\`b, (c)\`(10)) COMMENT 'y', KEY \`x\` ((lower(\`e\`))), CONSTRAINT \`c\` CHECK (\`n\` > 0))
  ENGINE=InnoDB COMMENT='a, (b' PARTITION BY RANGE COLUMNS (\`id\`) (PARTITION \`p0\` VALUES LESS THAN (5), PARTITION \`p1\` VALUES LESS THAN (MAXVALUE))`;

describe("the shape that a statement asks for", () => {
  const shape = requestedShape(
    create,
    [
      "KEY `later` (`at`)",
      "CONSTRAINT `f` FOREIGN KEY (`g`, `n`) REFERENCES `d`.`p` (`x`, `y`) ON DELETE SET NULL ON UPDATE NO ACTION",
    ],
    false,
  );

  it("has the columns with type, default and all else that a server shows again", () => {
    const plain = { nullable: true, default: undefined, auto: false, generated: "", collation: undefined, comment: "" };
    expect(shape.columns).toEqual([
      { ...plain, name: "id", type: "bigint", nullable: false, auto: true },
      { ...plain, name: "a`b, (c)", type: "varchar(20)", default: "it's, \\(", collation: "utf8mb4_0900_as_ci" },
      { ...plain, name: "e", type: "enum('NOT NULL','a,b')", comment: "x" },
      { ...plain, name: "n", type: "decimal(10,2)", nullable: false, default: "1.50" },
      { ...plain, name: "at", type: "datetime(6)", default: "(…)" },
      { ...plain, name: "g", type: "int", generated: "STORED" },
      { ...plain, name: "h", type: "binary(32)", generated: "VIRTUAL" },
    ]);
  });

  it("has indexes, checks, foreign keys and the number of partitions", () => {
    expect(shape.indexes).toEqual([
      { name: "PRIMARY", unique: true, keys: ["id"] },
      { name: "u", unique: true, keys: ["e", "n DESC"] },
      { name: "k", unique: false, keys: ["a`b, (c)(10)"] },
      { name: "x", unique: false, keys: ["(…)"] },
      { name: "later", unique: false, keys: ["at"] },
    ]);
    expect(shape.checks).toEqual(["c"]);
    expect(shape.foreignKeys).toEqual([
      {
        name: "f",
        columns: ["g", "n"],
        table: "p",
        referenced: ["x", "y"],
        onDelete: "SET NULL",
        onUpdate: "NO ACTION",
      },
    ]);
    expect(shape.partitions).toBe(2);
  });

  it.each<[string, (made: TableShape) => void, string]>([
    [
      "a rule that the server took for another",
      (made) => Object.assign(made.foreignKeys[0] ?? {}, { onDelete: "RESTRICT" }),
      "constraint f",
    ],
    ["an index that is missing", (made) => made.indexes.pop(), "index later"],
    ["a key that is not unique", (made) => Object.assign(made.indexes[1] ?? {}, { unique: false }), "index u"],
    ["another type", (made) => Object.assign(made.columns[2] ?? {}, { type: "enum('NOT NULL','a')" }), "column e"],
    ["a default that is gone", (made) => Object.assign(made.columns[3] ?? {}, { default: undefined }), "column n"],
    ["a check that is gone", (made) => made.checks.pop(), "constraint c"],
    ["partitions that are gone", (made) => Object.assign(made, { partitions: 0 }), "partitions "],
    ["a column that is gone", (made) => made.columns.pop(), "table "],
  ])("tells %s", (_, change, expected) => {
    const made = structuredClone(shape);
    expect(compareShapes(shape, made)).toEqual([]);
    change(made);
    expect(compareShapes(shape, made).map(({ kind, name }) => `${kind} ${name}`)).toEqual([expected]);
  });

  it("does not tell what a server adds by itself", () => {
    const made = structuredClone(shape);
    made.indexes.push({ name: "f", unique: false, keys: ["g", "n"] });
    for (const key of made.foreignKeys) key.onUpdate = "RESTRICT";
    expect(compareShapes(shape, made)).toEqual([]);
  });
});

it.each([
  ["INT(11)", "int"],
  ["tinyint(1)", "tinyint(1)"],
  ["bigint(20) unsigned", "bigint unsigned"],
  ["INT UNSIGNED", "int unsigned"],
  ["NUMERIC(10)", "decimal(10,0)"],
  ["Decimal( 5 , 2 )", "decimal(5,2)"],
  ["BOOLEAN", "tinyint(1)"],
  ["JSON", "longtext"],
  ["ENUM('A','it''s')", "enum('A','it's')"],
])("the type %s is written %s", (sql, usual) => {
  expect(usualType(sql, true)).toBe(usual);
});
