import { expect, test } from "vitest";
import { optionText, parseDefinition } from "./definition.ts";

const mysql = `CREATE TABLE \`t, (\` (
  \`id\` int NOT NULL AUTO_INCREMENT,
  \`a\`\`b\` varchar(5) DEFAULT 'x,)''\\'' COMMENT 'it''s, (so)',
  \`g\` int GENERATED ALWAYS AS ((\`id\` + 1)) VIRTUAL /*!80023 INVISIBLE */,
  PRIMARY KEY (\`id\`),
  UNIQUE KEY \`u\` (\`a\`\`b\`(3)),
  KEY \`f\` ((lower(\`a\`\`b\`))),
  CONSTRAINT \`fk\` FOREIGN KEY (\`id\`) REFERENCES \`o\` (\`id\`) ON DELETE CASCADE,
  CONSTRAINT \`c\` CHECK ((\`id\` > 0))
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci ENCRYPTION='N' COMMENT='a PARTITION BY, b'
/*!50100 PARTITION BY RANGE (\`id\`)
(PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,
 PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */`;

test("a table's text comes apart into items, options and partitions, whatever its names and texts hold", () => {
  const { items, options, partitions } = parseDefinition(mysql);
  expect(items.map(({ kind, name }) => [kind, name])).toEqual([
    ["column", "id"],
    ["column", "a`b"],
    ["column", "g"],
    ["primary", ""],
    ["unique", "u"],
    ["key", "f"],
    ["foreign", "fk"],
    ["check", "c"],
  ]);
  expect(items[1]?.text).toBe("`a``b` varchar(5) DEFAULT 'x,)''\\'' COMMENT 'it''s, (so)'");
  expect(options.map(optionText)).toEqual([
    "ENGINE=InnoDB",
    "AUTO_INCREMENT=7",
    "DEFAULT CHARSET=utf8mb4",
    "COLLATE=utf8mb4_0900_ai_ci",
    "ENCRYPTION='N'",
    "COMMENT='a PARTITION BY, b'",
  ]);
  expect(partitions).toMatch(/^PARTITION BY RANGE \(`id`\)\n[\s\S]*MAXVALUE ENGINE = InnoDB\)$/);
});

test("MariaDB's own options, and its names of foreign keys that are not quoted", () => {
  const { items, options } = parseDefinition(
    "CREATE TABLE `t` (\n  `a` int(11) DEFAULT NULL,\n  CONSTRAINT `x`y` FOREIGN KEY (`a`) REFERENCES `t` (`a`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci `PAGE_COMPRESSED`='ON' WITH SYSTEM VERSIONING",
    [{ name: "x`y", columns: ["a"], referencedColumns: ["a"] }],
  );
  expect(items[1]).toMatchObject({ kind: "foreign", name: "x`y" });
  expect(options.slice(-2)).toEqual([
    { key: "`PAGE_COMPRESSED`", value: "'ON'" },
    { key: "WITH SYSTEM VERSIONING", value: "" },
  ]);
});
