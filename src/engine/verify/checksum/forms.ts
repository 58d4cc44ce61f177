import type { Hash } from "./dialect.ts";
import type { ComparedForm, Rules, Uncompared } from "./expressions.ts";
import { type Cross, crossForm } from "./forms-cross.ts";
import { mysqlForm, postgresForm } from "./forms-same.ts";
import type { ColumnType } from "./types.ts";

export interface NamedColumn {
  name: string;
  type: ColumnType;
}

/** Of each side; UTF8 of MySQL, whose texts are converted. */
export interface Encodings {
  source: string;
  target: string;
}

/** The form by which a pair of columns is compared, chosen by their types alone. */
export function comparedForm(
  source: NamedColumn,
  target: NamedColumn,
  encodings: Encodings,
  hash: Hash,
  rules: Rules,
): ComparedForm | Uncompared {
  const [from, to] = [source.type, target.type];
  if (from.engine === "mysql" && to.engine === "mysql")
    return mysqlForm({ name: source.name, type: from }, { name: target.name, type: to }, hash);
  if (from.engine === "postgres" && to.engine === "postgres")
    return postgresForm({ name: source.name, type: from }, { name: target.name, type: to }, encodings, hash);
  let form: ComparedForm | undefined;
  if (from.engine === "mysql" && to.engine === "postgres") {
    const found = crossForm(
      { name: source.name, type: from },
      { name: target.name, type: to },
      true,
      encodings.target === "UTF8",
      hash,
      rules,
    );
    if (found !== undefined) form = laid(found, "my", "pg");
  } else if (from.engine === "postgres" && to.engine === "mysql") {
    const found = crossForm(
      { name: target.name, type: to },
      { name: source.name, type: from },
      false,
      encodings.source === "UTF8",
      hash,
      rules,
    );
    if (found !== undefined) form = laid(found, "pg", "my");
  }
  return form ?? { uncompared: `no form is known in which ${words(from)} and ${words(to)} can be compared` };
}

const laid = ({ canonicalForm, fast, ...sides }: Cross, from: "my" | "pg", to: "my" | "pg"): ComparedForm => ({
  source: sides[from],
  target: sides[to],
  ...(canonicalForm === undefined ? {} : { canonicalForm }),
  ...(fast === undefined ? {} : { fast: { source: fast[from], target: fast[to] } }),
});

const words = (type: ColumnType) => (type.engine === "mysql" ? type.full : type.name);
