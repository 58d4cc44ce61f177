import { refuse } from "../refusal.ts";
import { int } from "../types.ts";
import { compare } from "./comparisons.ts";
import { unify } from "./expression.ts";
import { type Context, made, type Term } from "./term.ts";

/** PostgreSQL's functions. What is not here is refused by name. */

export function callFunction(context: Context, name: string, args: readonly Term[]): Term {
  const [a, b] = args as [Term, Term];
  const plain = (term: Term): boolean => term.type.kind === "text" && term.type.fixed !== true;
  switch (args.length === 0 ? "" : name.toLowerCase()) {
    case "coalesce": {
      const type = unify(args);
      const sql = `COALESCE(${args.map((arg) => arg.sql).join(", ")})`;
      return { ...made(sql, type, args), nullable: args.every(({ nullable }) => nullable) };
    }
    case "nullif": {
      const equal = compare(context, "=", a, b);
      return { ...made(`(CASE WHEN ${equal.sql} THEN NULL ELSE ${a.sql} END)`, a.type, [a, b]), nullable: true };
    }
    case "length":
    case "char_length":
    case "character_length":
      if (plain(a)) return made(`CHAR_LENGTH(${a.sql})`, int(0n, 2n ** 30n), [a]);
      if (a.type.kind === "bytes" && name.toLowerCase() === "length")
        return made(`LENGTH(${a.sql})`, int(0n, 2n ** 30n), [a]);
      break;
    case "octet_length":
      if (plain(a) || a.type.kind === "bytes") return made(`LENGTH(${a.sql})`, int(0n, 2n ** 30n), [a]);
      break;
    case "btrim":
    case "ltrim":
    case "rtrim":
      if (!plain(a) || (b !== undefined && b.constant !== " ")) break;
      return made(`${name.toLowerCase() === "btrim" ? "TRIM" : name.toUpperCase()}(${a.sql})`, a.type, [a]);
    case "abs":
      if (a.type.kind === "decimal") return made(`ABS(${a.sql})`, a.type, [a]);
      break;
    default:
  }
  return refuse(`the function ${name}() is not translated`);
}
