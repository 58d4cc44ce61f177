import { isAlone, mysqlComparison } from "../collation.ts";
import { refuse } from "../refusal.ts";
import type { Node } from "../tree.ts";
import { sharedCollation } from "./comparisons.ts";
import { asText, condition, constantText, type PostgresContext, type PostgresTerm, textLiteral } from "./term.ts";

/** LIKE and searching, character by character: where the collation tells characters apart as PostgreSQL does. */

export function like(context: PostgresContext, node: Extract<Node, { is: "like" }>): PostgresTerm {
  if (node.how === "REGEXP") return refuse("regular expressions, whose dialects differ");
  const operand = context.term(node.operand);
  const pattern = context.term(node.pattern);
  const escaping = node.escape === undefined ? "\\" : constantText(context.term(node.escape));
  const text = constantText(pattern);
  if (text === undefined) return refuse("LIKE with a pattern that is no literal");
  if (escaping === undefined || [...escaping].length !== 1)
    return refuse("LIKE with an escape that is no single character");
  if (endsInEscape(text, escaping)) return refuse("LIKE with a pattern that ends with its escape");
  if (operand.type.kind !== "text" && operand.type.kind !== "enum") return refuse("LIKE of what is no text");
  const value = asText(operand);
  const collation = sharedCollation(value.type, pattern.type);
  if (collation === undefined) return refuse("LIKE of literals");
  const { equality } = mysqlComparison(collation);
  const bytes = equality === "exact" || equality === "padded";
  if (!bytes && !(equality === "simple" && isAlone(text.replaceAll("\\", ""))))
    context.doubt(`LIKE in the collation ${collation}, which takes different text for equal, as upper and lower case`);
  const written = escaping === "\\" ? "" : ` ESCAPE ${textLiteral(escaping)}`;
  return condition(`(${value.sql} ${node.not ? "NOT " : ""}LIKE ${textLiteral(text)}${written})`, [value]);
}

function endsInEscape(text: string, escaping: string): boolean {
  const characters = [...text];
  for (let at = 0; at < characters.length; at++) {
    if (characters[at] !== escaping) continue;
    if (at === characters.length - 1) return true;
    at++;
  }
  return false;
}

/** Whether text is searched byte by byte. MySQL searches in the collation of what is searched in, literals included. */
export function searchable(context: PostgresContext, within: PostgresTerm, sought: PostgresTerm): void {
  const collation = within.type.kind === "text" ? within.type.collation : undefined;
  if (collation === undefined) refuse("text is searched in the collation of a session that is not known");
  sharedCollation(within.type, sought.type);
  const { equality } = mysqlComparison(collation);
  if (equality !== "exact" && equality !== "padded")
    context.doubt(
      `text is searched in the collation ${collation}, which takes different text for equal, as upper and lower case`,
    );
}
