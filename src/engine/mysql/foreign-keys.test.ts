import { expect, test } from "vitest";
import { rulesIn } from "./foreign-keys.ts";

const definition = [
  "CREATE TABLE `t` (",
  "  `a` int(11) DEFAULT NULL COMMENT 'CONSTRAINT `f` FOREIGN KEY',",
  "  CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `u` (`id`) ON DELETE CASCADE ON UPDATE SET NULL,",
  "  CONSTRAINT `f)`k` FOREIGN KEY (`a`) REFERENCES `u` (`id) ON DELETE CASCADE`) ON UPDATE NO ACTION,",
  "  CONSTRAINT `plain` FOREIGN KEY (`a`) REFERENCES `u` (`id`)",
  ") ENGINE=InnoDB",
].join("\n");

test.each([
  ["f", "CASCADE", "SET NULL"],
  ["f)`k", "RESTRICT", "NO ACTION"],
  ["plain", "RESTRICT", "RESTRICT"],
  ["not there", "", ""],
])("the rules of %s are read from the table's definition", (name, onDelete, onUpdate) => {
  expect(rulesIn(definition, name)).toEqual({ onDelete, onUpdate });
});
