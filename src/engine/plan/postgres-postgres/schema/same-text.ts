import type { Thing } from "../../../postgres/catalogue/inventory.ts";

/** Whether two servers' writings of one object say the same. Pure. */

/** Their texts hold expressions, which a server writes from its own reading of them. Code is kept as it was given. */
const written = new Set([
  "view",
  "materialized view",
  "index",
  "constraint",
  "column",
  "trigger",
  "rule",
  "policy",
  "domain",
]);

/** `alike`: the servers are of one major version; else what versions are known to write differently is passed over. */
export function sameText(a: Pick<Thing, "kind" | "detail">, b: Pick<Thing, "detail">, alike: boolean): boolean {
  if (a.detail === b.detail) return true;
  if (!written.has(a.kind)) return false;
  const [one, other] = [eachCast(a.detail), eachCast(b.detail)];
  return one === other || (!alike && bare(one) === bare(other));
}

const string = "'(?:[^']|'')*'(?!')";
const castList = new RegExp(`\\(ARRAY\\[((?:${string}::character varying(?:, )?)+)\\]\\)::("?)text\\2\\[\\]`, "g");
const castItem = new RegExp(`${string}(?:::character varying)?`, "g");

/** A list that was compared as text is written as a list of texts once it was read again: `v IN ('a', 'b')` with a varchar. */
const eachCast = (text: string) =>
  text.replace(
    castList,
    (_, items: string, quote: string) =>
      `ARRAY[${items.replace(castItem, (item) => `(${item})::${quote}text${quote}`)}]`,
  );

const tokens = new RegExp(`${string}|"(?:[^"]|"")*"|[^'"]+`, "g");
const qualifier = new RegExp(`${string}|"(?:[^"]|"")*"\\.?`, "g");
const besidesStrings = (text: string, change: (token: string) => string) =>
  (text.match(tokens) ?? []).map((token) => (token.startsWith("'") ? token : change(token))).join("");

/** Without parentheses, blanks, casts to texts, quotes that a word need not have, and the names that columns are qualified with (which 16 began to leave out). */
function bare(text: string): string {
  const unquoted = besidesStrings(text, (token) => token.replace(/^"([a-z_][a-z0-9_]*)"$/, "$1"));
  const unqualified = besidesStrings(unquoted, (token) =>
    token.startsWith('"') ? token : token.replace(/\b\w+\./g, ""),
  );
  return besidesStrings(
    unqualified.replace(qualifier, (token) => (token.startsWith('"') && token.endsWith(".") ? "" : token)),
    (token) =>
      token.startsWith('"')
        ? token
        : token
            .replace(/::(?:character varying|character|bpchar|text)(?:\(\d+\))?(?:\[\])?/g, "")
            .replace(/[()\s]/g, ""),
  );
}
