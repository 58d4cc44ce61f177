import { expect, test } from "vitest";
import { shapeText } from "./identity.ts";

const table = (items: readonly string[], rest = "ENGINE=InnoDB COMMENT='x'") =>
  `CREATE TABLE \`t\` (\n${items.map((item) => `  ${item}`).join(",\n")}\n) ${rest}`;
const column = "`a` int(11) DEFAULT NULL COMMENT 'CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `p` (`id`)'";
const key = "KEY `f` (`a`)";
const check = "CONSTRAINT `c` CHECK (`a` > 0)";

test.each([
  ["alone", "CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `p` (`id`)"],
  [
    "with rules",
    "CONSTRAINT `f` FOREIGN KEY (`a`, `b`) REFERENCES `p` (`id`, `x`) ON DELETE SET NULL ON UPDATE CASCADE",
  ],
  ["of another database", "CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `d`.`p` (`id`) ON DELETE NO ACTION"],
  ["with hostile names", "CONSTRAINT `f``,\n  x` FOREIGN KEY (`a``)`) REFERENCES `p, (` (`i``d`)"],
])("a table's shape is the same with and without a foreign key (%s)", (_, foreign) => {
  const bare = shapeText(table([column, key, check]));
  expect(shapeText(table([column, key, foreign, check], "ENGINE=InnoDB"))).toBe(bare);
  expect(shapeText(table([column, key, foreign, foreign, check]))).toBe(bare);
  expect(shapeText(table([column, key, check, foreign]))).toBe(bare);
});

test("a table's shape knows a key, a check and what stands in a comment", () => {
  const shapes = [
    [column, key, check],
    [column, check],
    [column, key],
    ["`a` int(11)", key, check],
  ].map((items) => shapeText(table(items)));
  expect(new Set(shapes).size).toBe(4);
});
