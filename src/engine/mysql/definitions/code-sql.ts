import { identifier } from "../driver/names.ts";
import type { SourceCode } from "./code-source.ts";
import { bare, outside, piecesOf } from "./definition.ts";
import { withResultCollation } from "./routine-collations.ts";

/** Statements that make a source's views, routines, triggers and events in a target. Pure. */
export interface CodeOptions {
  /** Quoted name to make it under; of a view qualified. What is not, is kept as it is typed. */
  name: string;
  /** SQL of an account, as in `` `u`@`h` `` or CURRENT_USER. */
  definer: string;
  /** SQL SECURITY INVOKER instead of what the source says. */
  invoker: boolean;
  database: string;
  targetDatabase: string;
  /** Collation of a function's result. */
  resultCollation?: string | undefined;
}

/** In a text's own sql_mode, which may have ANSI_QUOTES. */
const quotedName = '(?:`(?:[^`]|``)*`|"(?:[^"]|"")*")';
const account = `(?:${quotedName}(?:@${quotedName})?)`;
const quoted = `(?:${quotedName}|\\w+)`;
const viewHead = new RegExp(
  `^CREATE (ALGORITHM=\\w+ )?(?:DEFINER=${account} )?(?:SQL SECURITY (DEFINER|INVOKER) )?VIEW ${quoted}(?:\\.${quoted})?`,
);
const codeHead = new RegExp(
  `^CREATE (?:OR REPLACE )?(?:DEFINER=${account} )?((?:AGGREGATE )?(?:PROCEDURE|FUNCTION|EVENT|PACKAGE BODY|PACKAGE)) (?:IF NOT EXISTS )?${quoted}(?:\\.${quoted})?`,
);

const definedHead = new RegExp(
  `^(CREATE (?:OR REPLACE )?(?:ALGORITHM=\\w+ )?)DEFINER=(${quotedName})(?:@(${quotedName}))?(?= )`,
);
const triggerHead = new RegExp(`^CREATE (?:DEFINER=${account} )?TRIGGER `);

/** Undefined where the source's text does not begin as the servers write it. */
export function statementOf(code: SourceCode, wanted: CodeOptions): string | undefined {
  if (code.kind === "view") return viewStatement(code, wanted);
  if (code.kind === "trigger") return triggerStatement(code, wanted);
  const head = codeHead.exec(code.shown);
  if (head === null) return undefined;
  const rest = code.shown.slice(head[0].length);
  const text = withResult(`CREATE DEFINER=${wanted.definer} ${head[1]} ${wanted.name}${rest}`, code, wanted);
  if (!wanted.invoker || code.kind === "event") return text;
  return withInvoker(text, code);
}

function withResult(text: string, code: SourceCode, { resultCollation }: CodeOptions): string {
  if (resultCollation === undefined || code.kind !== "function") return text;
  const at = text.length - exactBody(code).length;
  return withResultCollation(text.slice(0, at), resultCollation) + text.slice(at);
}

/** Characteristics stand before the body; SECURITY is DEFINER where it is not written. */
function withInvoker(text: string, code: SourceCode): string | undefined {
  const at = text.length - exactBody(code).length;
  const before = text.slice(0, at);
  if (/SQL SECURITY INVOKER/i.test(before)) return text;
  return `${before.trimEnd()}\n    SQL SECURITY INVOKER\n${text.slice(at)}`;
}

function viewStatement(
  { shown }: SourceCode,
  { name, definer, invoker, database, targetDatabase }: CodeOptions,
): string | undefined {
  const head = viewHead.exec(shown);
  if (head === null) return undefined;
  const [whole, algorithm = "", security = "DEFINER"] = head;
  const rest = shown.slice(whole.length);
  const moved = database === targetDatabase ? rest : inDatabase(rest, database, targetDatabase);
  return `CREATE ${algorithm}DEFINER=${definer} SQL SECURITY ${invoker ? "INVOKER" : security} VIEW ${name}${moved}`;
}

/** Before a name that has its database. */
const takesTable = /\b(?:from|join|straight_join)\s*\(*$/i;
const takesSequence = /\b(?:nextval|lastval|setval)\($/i;
/** Before the bracket of a function whose FROM takes a value, as in `extract(year from …`. */
const takesValue = /\b(?:extract|trim|trim_oracle|substring|substr)\s*$/i;

/** Whether the text, without what is in quotes, ends within such a function's brackets, and in no query of theirs. */
function endsInFunction(text: string): boolean {
  let closed = 0;
  const before = text.replace(/(?<![\s(])[\s(]+$/, "");
  for (let at = before.length - 1; at >= 0; at--) {
    if (before[at] === ")") closed++;
    else if (before[at] === "(" && closed-- === 0) return takesValue.test(before.slice(0, at));
  }
  return false;
}

/** Whether a view draws from a sequence. As MariaDB writes it, whatever was typed. */
export const drawsNumbers = (shown: string): boolean => /\b(?:nextval|lastval|setval)\s*\(/i.test(bare(shown));

/** Why a view that does is not made there. */
export const noSequences = "it draws from a sequence, and MySQL has none";

/**
 * The text of a view with another database's name. Tables of the session's own database are mostly written without it;
 * functions, sequences, columns where MariaDB could not look at the tables for want of the definer's rights, and all of
 * a view that reads another database too are written with it. A table may be called as the database: of names in two parts
 * only those are taken that can be no column. `to` undefined: no database.
 */
export function inDatabase(text: string, from: string, to: string | undefined): string {
  const pieces = piecesOf(text);
  const at = (index: number) => pieces[index]?.text ?? "";
  const before = (index: number) =>
    pieces
      .slice(0, index)
      .map(({ quoted, text }) => (quoted ? "''" : text))
      .join("");
  const isDatabase = (index: number) => {
    if (at(index) !== identifier(from) || at(index + 1).charAt(0) !== ".") return false;
    if (at(index + 1) !== "." || at(index - 1).endsWith(".")) return false;
    const after = at(index + 3);
    if (after.startsWith("(") || after === ".") return true;
    if (takesSequence.test(at(index - 1))) return true;
    return takesTable.test(at(index - 1)) && !endsInFunction(before(index));
  };
  return pieces
    .map(({ text }, index) => {
      if (isDatabase(index)) return to === undefined ? "" : identifier(to);
      return to === undefined && isDatabase(index - 1) ? "" : text;
    })
    .join("");
}

/** Names that a view's text reads from, whatever their database: its tables and views, and those that it calls so itself. */
export function relationsOf(text: string): Set<string> {
  const pieces = piecesOf(text);
  const names = new Set<string>();
  for (const [at, { quoted, text: piece }] of pieces.entries()) {
    if (!quoted || !piece.startsWith("`")) continue;
    const before = pieces[at - 1]?.text ?? "";
    const first = before === "." ? (pieces[at - 3]?.text ?? "") : before;
    if (takesTable.test(first)) names.add(piece.slice(1, -1).replaceAll("``", "`"));
  }
  return names;
}

/** The account that a statement of code names as its definer, and the statement with another (SQL). Undefined: it names none. */
export function definedBy(
  statement: string,
): { definer: SourceCode["definer"]; by(account: string): string } | undefined {
  const found = definedHead.exec(statement);
  if (found === null) return undefined;
  const [whole, before = "", user = "", host = ""] = found;
  const plain = (name: string) => name.slice(1, -1).replaceAll("``", "`");
  return {
    definer: { user: plain(user), host: plain(host) },
    by: (account) => `${before}DEFINER=${account}${statement.slice(whole.length)}`,
  };
}

/** For a regular expression that means it as it is. */
export const escaped = (text: string): string => text.replace(/[\\^$.|?+*()[\]{}]/g, "\\$&");

function triggerStatement(code: SourceCode, { name, definer, database }: CodeOptions): string | undefined {
  const { trigger } = code;
  if (trigger === undefined) return undefined;
  // MariaDB keeps a trigger as it was typed.
  const typed = triggerHead.exec(code.shown);
  const rest = code.shown.slice(typed?.[0].length);
  if (typed !== null && !namesDatabase(rest.slice(0, rest.length - code.body.length), database))
    return `CREATE DEFINER=${definer} TRIGGER ${rest}`;
  const on = `${trigger.timing} ${trigger.event} ON ${identifier(trigger.table)}`;
  return `CREATE DEFINER=${definer} TRIGGER ${name} ${on} FOR EACH ROW ${exactBody(code)}`;
}

/** The body as SHOW CREATE has it, since information_schema shows `?` for characters of four bytes. */
export function exactBody({ shown, body }: Pick<SourceCode, "shown" | "body">): string {
  if (!body.includes("?")) return body;
  const short = [...body];
  const tail = [...shown].slice(-short.length);
  return tail.length === short.length && short.every((letter, at) => letter === "?" || letter === tail[at])
    ? tail.join("")
    : body;
}

/** Whether code names a database before a dot: after a move that is still the source's. */
export function namesDatabase(text: string, database: string): boolean {
  const bare = new RegExp(`(?:^|[^\\w$])${escaped(database)}\\s*\\.`, "i");
  let found = false;
  outside(text, (between) => {
    found ||= bare.test(between);
    return between;
  });
  return found || new RegExp(`${escaped(identifier(database))}\\s*\\.`).test(text);
}
