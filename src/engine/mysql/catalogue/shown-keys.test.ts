import { expect, test } from "vitest";
import { rulesIn, withQuotedKeys } from "./shown-keys.ts";

const definition = [
  "CREATE TABLE `t` (",
  "  `a` int(11) DEFAULT NULL COMMENT 'CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `u` (`id`)',",
  "  CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `u` (`id`) ON DELETE CASCADE ON UPDATE SET NULL,",
  "  CONSTRAINT `f)`k` FOREIGN KEY (`a`) REFERENCES `u` (`id) ON DELETE CASCADE`) ON UPDATE NO ACTION,",
  "  CONSTRAINT `rows` FOREIGN KEY (`a`, `of\nlines`) REFERENCES `d`.`u` (`id`, `x\n  y`) ON DELETE SET DEFAULT,",
  "  CONSTRAINT `plain` FOREIGN KEY (`a`) REFERENCES `u` (`id`)",
  ") ENGINE=InnoDB",
].join("\n");

test.each([
  ["f", ["a"], ["id"], "CASCADE", "SET NULL"],
  ["f)`k", ["a"], ["id) ON DELETE CASCADE"], "RESTRICT", "NO ACTION"],
  ["rows", ["a", "of\nlines"], ["id", "x\n  y"], "SET DEFAULT", "RESTRICT"],
  ["plain", ["a"], ["id"], "RESTRICT", "RESTRICT"],
  ["not there", ["a"], ["id"], "", ""],
])("the rules of %s are read from the table's definition", (name, columns, referencedColumns, onDelete, onUpdate) => {
  expect(rulesIn(definition, { name, columns, referencedColumns })).toEqual({ onDelete, onUpdate });
});

const key = (name: string, columns: string[], referencedColumns: string[]) => ({ name, columns, referencedColumns });
const keys = [
  key("`", ["a`1", "a,`) 2"], ["k`1", "k,`) 2"]),
  key("f3", ["`"], ["s\nn"]),
  key("f$&`1", ["a"], ["k"]),
  key("plain", ["a"], ["k"]),
];
const undoubled = `CREATE TABLE \`c\`\`t\` (
  \`a\`\`1\` int(11) DEFAULT NULL COMMENT 'CONSTRAINT \`f$&\`1\` FOREIGN KEY (\`a\`) REFERENCES \`p\` (\`k\`)',
  CONSTRAINT \`\`\` FOREIGN KEY (\`a\`1\`, \`a,\`) 2\`) REFERENCES \`o\`\`d\`.\`o\`\`t\` (\`k\`1\`, \`k,\`) 2\`),
  CONSTRAINT \`f3\` FOREIGN KEY (\`\`\`) REFERENCES \`o\`\`d\`.\`o\`\`t\` (\`s\nn\`) ON DELETE CASCADE,
  CONSTRAINT \`f$&\`1\` FOREIGN KEY (\`a\`) REFERENCES \`p\`\`t\` (\`k\`) ON UPDATE CASCADE,
  CONSTRAINT \`plain\` FOREIGN KEY (\`a\`) REFERENCES \`p\` (\`k\`),
  CONSTRAINT \`c\` CHECK (\`f\` > 0)
) ENGINE=InnoDB`;
const quoted = undoubled
  .replace("``` FOREIGN KEY (`a`1`, `a,`) 2`)", () => "```` FOREIGN KEY (`a``1`, `a,``) 2`)")
  .replace("(`k`1`, `k,`) 2`)", () => "(`k``1`, `k,``) 2`)")
  .replace("(```)", () => "(````)")
  .replace("\n  CONSTRAINT `f$&`1`", () => "\n  CONSTRAINT `f$&``1`");

test("a foreign key's names are quoted as all others, where the server does not double their backticks", () => {
  expect(withQuotedKeys(undoubled, keys)).toBe(quoted);
});

test("a text whose names are quoted stays as it is", () => {
  expect(withQuotedKeys(quoted, keys)).toBe(quoted);
  expect(withQuotedKeys(definition, [key("not ` there", ["a"], ["id"])])).toBe(definition);
});
