import type { Cursor } from "./cursor.ts";
import { refuse } from "./refusal.ts";
import type { TypeName } from "./tree.ts";

/** A type as CAST and :: have it. */

/** Words that go on after a type's first word. */
const followers = new Set(["VARYING", "PRECISION", "WITHOUT", "WITH", "TIME", "ZONE", "UNSIGNED", "SIGNED", "INTEGER"]);

export function typeName(cursor: Cursor): TypeName {
  const first = cursor.peek();
  let name = cursor.name();
  let schema: string | undefined;
  if (first.is === "word") name = name.toLowerCase();
  while (cursor.tookSymbol(".")) {
    schema = name;
    name = cursor.name();
  }
  const number = () => {
    const token = cursor.next();
    if (token.is !== "number" || !/^\d{1,9}$/.test(token.text)) refuse("a type's argument is not understood");
    return Number(token.text);
  };
  const numbers = () => (cursor.seesSymbol("(") ? cursor.inParentheses(() => cursor.list(number)) : []);
  let found = numbers();
  for (let token = cursor.peek(); token.is === "word" && followers.has(token.upper); token = cursor.peek()) {
    cursor.next();
    name += ` ${token.text.toLowerCase()}`;
    if (found.length === 0) found = numbers();
  }
  let array = false;
  while (cursor.tookSymbol("[")) {
    cursor.expectSymbol("]");
    array = true;
  }
  const type: TypeName = { name, arguments: found, array, ...(schema === undefined ? {} : { schema }) };
  if (cursor.dialect === "mysql" && (cursor.took("CHARSET") || cursor.took("CHARACTER", "SET")))
    type.charset = cursor.name().toLowerCase();
  return type;
}
