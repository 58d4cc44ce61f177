import type { ColumnShape, ForeignKeyShape, IndexShape, TableShape } from "./shape.ts";

/** Where a table is not what was asked for. What a server adds by itself, such as an index under a foreign key, is no difference. */
export interface ShapeDifference {
  /** `table`, `column`, `index`, `constraint` or `partitions`. */
  kind: string;
  /** The object's name in the target; empty for the table itself. */
  name: string;
  words: string;
}

/** Where `made` is not what was `asked` for. Pure. */
export function compareShapes(asked: TableShape, made: TableShape): ShapeDifference[] {
  const found: ShapeDifference[] = [];
  const say = (kind: string, name: string, words: string) => found.push({ kind, name, words });
  const names = (shape: TableShape) => shape.columns.map(({ name }) => name);
  if (names(asked).join("\0") !== names(made).join("\0"))
    say("table", "", `the target made the columns ${names(made).join(", ")} of ${names(asked).join(", ")}`);
  for (const column of asked.columns) {
    const other = made.columns.find(({ name }) => name === column.name);
    for (const words of other === undefined ? [] : compareColumns(column, other)) say("column", column.name, words);
  }
  for (const index of asked.indexes) {
    const other = made.indexes.find(({ name }) => name.toLowerCase() === index.name.toLowerCase());
    const text = ({ unique, keys }: IndexShape) => `${unique ? "UNIQUE " : ""}(${keys.join(", ")})`;
    if (other === undefined) say("index", index.name, "the target did not make it");
    else if (text(other) !== text(index)) say("index", index.name, `the target made ${text(other)} of ${text(index)}`);
  }
  for (const check of asked.checks)
    if (!made.checks.includes(check))
      say("constraint", check, "the target did not make this check, or does not enforce it");
  for (const key of asked.foreignKeys) {
    const other = made.foreignKeys.find(({ name }) => name === key.name);
    if (other === undefined) say("constraint", key.name, "the target did not make it");
    else if (keyText(other) !== keyText(key))
      say("constraint", key.name, `the target made ${keyText(other)} of ${keyText(key)}`);
  }
  if (asked.partitions !== made.partitions)
    say("partitions", "", `the target made ${made.partitions} partitions of ${asked.partitions}`);
  return found;
}

/** NO ACTION and RESTRICT are one to InnoDB. */
const keyText = ({ columns, table, referenced, onDelete, onUpdate }: ForeignKeyShape): string => {
  const rule = (words: string) => (words === "RESTRICT" ? "NO ACTION" : words);
  return `(${columns.join(", ")}) REFERENCES ${table} (${referenced.join(", ")}) ON DELETE ${rule(onDelete)} ON UPDATE ${rule(onUpdate)}`;
};

function compareColumns(asked: ColumnShape, made: ColumnShape): string[] {
  const found: string[] = [];
  const differs = (what: string, one: unknown, other: unknown) => {
    if (one !== other) found.push(`the target made ${what} ${other ?? "none"} of ${one ?? "none"}`);
  };
  differs("the type", asked.type, made.type);
  if (asked.nullable !== undefined) differs("nullable", asked.nullable, made.nullable);
  differs("AUTO_INCREMENT", asked.auto, made.auto);
  differs("GENERATED", asked.generated, made.generated);
  // MariaDB names the newer ones without their character set.
  if (asked.collation !== undefined && made.collation !== `utf8mb4_${asked.collation}`)
    differs("the collation", asked.collation, made.collation);
  differs("the comment", asked.comment, made.comment);
  if ((asked.default === undefined) !== (made.default === undefined))
    found.push(`the target made the default ${made.default ?? "none"} of ${asked.default ?? "none"}`);
  return found;
}
