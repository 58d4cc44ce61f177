import { mysqlShapes } from "../checksum/expressions.ts";
import { usualType } from "./shape.ts";

/** Whether a column that is there takes every value of a type, or says so of those that it does not. Pure. */

interface Type {
  name: string;
  unsigned: boolean;
  /** Numbers in brackets. */
  size: number[];
  labels: string[];
}

const parse = (sql: string, maria: boolean): Type => {
  const text = usualType(sql.replace(/ (?:CHARACTER SET|COLLATE) \w+/gi, ""), maria);
  const found = /^(\w+)(?:\(([\s\S]*)\))?(.*)$/.exec(text);
  const within = found?.[2] ?? "";
  return {
    name: found?.[1] ?? text,
    unsigned: /unsigned/.test(found?.[3] ?? ""),
    size: /^[\d,]+$/.test(within) ? within.split(",").map(Number) : [],
    labels: within.startsWith("'") ? within.slice(1, -1).split("','") : [],
  };
};

const integers = ["tinyint", "smallint", "mediumint", "int", "bigint"];
const texts = ["varchar", "tinytext", "text", "mediumtext", "longtext"];
const bytes = ["varbinary", "tinyblob", "blob", "mediumblob", "longblob"];
const isOf = (list: readonly string[], { name }: Type) => list.includes(name);

/**
 * `planned`: the type that the copy would have made, TIMESTAMPTZ for moments; `present`: the one that is there, as the server writes it. Answers why
 * values might be changed without a warning, or undefined: what does not fit then is refused while it is copied.
 */
export function misfit(planned: string, present: string, maria: boolean): string | undefined {
  const [from, to] = [parse(planned, maria), parse(present, maria)];
  const words = `a column of type ${present} would change values that are meant for ${planned}`;
  return takes(from, to) ? undefined : words;
}

function takes(from: Type, to: Type): boolean {
  const same =
    from.name === to.name && from.size.join() === to.size.join() && from.labels.join("\0") === to.labels.join("\0");
  if (same && from.unsigned === to.unsigned) return true;
  if (mysqlShapes.has(from.name)) return to.name === "geometry" && mysqlShapes.has(to.name);
  // Out of range is a warning, which fails the copy; so is text that is too long.
  if (isOf(integers, from)) return isOf(integers, to) || to.name === "decimal" || isOf(texts, to);
  switch (from.name) {
    case "decimal":
      return to.name === "decimal" || isOf(texts, to) || (from.size[1] === 0 && isOf(integers, to));
    case "double":
      return isOf(texts, to);
    case "date":
      return to.name === "datetime" || isOf(texts, to);
    case "timestamptz": {
      const moment = to.name === "datetime" || to.name === "timestamp";
      return (moment && (to.size[0] ?? 0) >= (from.size[0] ?? 0)) || isOf(texts, to);
    }
    case "datetime":
    case "time":
      return (to.name === from.name && (to.size[0] ?? 0) >= (from.size[0] ?? 0)) || isOf(texts, to);
    case "enum":
      return (to.name === "enum" && from.labels.every((label) => to.labels.includes(label))) || isOf(texts, to);
    case "json":
      return isOf(texts, to);
    case "char":
      return (to.name === "char" && (to.size[0] ?? 1) >= (from.size[0] ?? 1)) || isOf(texts, to);
    default:
      if (isOf(bytes, from)) return isOf(bytes, to);
      // Trailing spaces go from a CHAR, numbers count labels of an ENUM, JSON is written anew.
      return isOf(texts, from) && isOf(texts, to);
  }
}
