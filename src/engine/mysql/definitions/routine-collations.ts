import { shortList } from "../../contract/text/short-list.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import type { SourceCode } from "./code-source.ts";
import { nearestCollation } from "./collations.ts";
import { outside, piecesOf } from "./definition.ts";

/**
 * Collations in the text of code, where a server fills in its own default: SHOW CREATE of MySQL names a character set alone, and
 * MariaDB from 11.5 on has another default for it. The collation of a function's result is stored, and is written out. Those
 * of parameters and of the body are looked up anew by each session that calls: they are compared and named.
 */
export interface TextCollations {
  /** `function f` → collations, by parameter; "" is the result. */
  routines: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Character set → its default. */
  defaults: ReadonlyMap<string, string>;
}

export const noTextCollations: TextCollations = { routines: new Map(), defaults: new Map() };

export async function readTextCollations(session: Session, database: string): Promise<TextCollations> {
  const routines = new Map<string, Map<string, string>>();
  for (const [type, routine, parameter, collation] of await session.query(
    `SELECT LOWER(ROUTINE_TYPE), SPECIFIC_NAME, PARAMETER_NAME, COLLATION_NAME FROM information_schema.PARAMETERS
      WHERE SPECIFIC_SCHEMA = ${literal(database)} AND COLLATION_NAME IS NOT NULL ORDER BY SPECIFIC_NAME, ORDINAL_POSITION`,
  )) {
    const key = `${type} ${routine}`;
    const own = routines.get(key) ?? new Map<string, string>();
    routines.set(key, own.set(parameter ?? "", collation ?? ""));
  }
  const defaults = new Map<string, string>();
  for (const [set, collation] of await session.query(
    "SELECT CHARACTER_SET_NAME, DEFAULT_COLLATE_NAME FROM information_schema.CHARACTER_SETS",
  ))
    defaults.set(setName(set ?? ""), collation ?? "");
  return { routines, defaults };
}

/** `utf8` is utf8mb3 under the settings of our sessions. */
const setName = (set: string): string => set.toLowerCase().replace(/^utf8$/, "utf8mb3");

/** The head of a function (its text before the body) with the collation of its result. Pure. */
export function withResultCollation(head: string, collation: string): string {
  const plain = piecesOf(head)
    .map(({ quoted, text }) => (quoted ? "x".repeat(text.length) : text))
    .join("");
  const returns = plain.lastIndexOf(") RETURNS ");
  const found = returns < 0 ? null : / CHARSET \w+( COLLATE \w+)?(?=\n)/.exec(plain.slice(returns));
  if (found === null) return head;
  const end = returns + found.index + found[0].length;
  return `${head.slice(0, end - (found[1]?.length ?? 0))} COLLATE ${collation}${head.slice(end)}`;
}

/** The source's collation of a function's result, by its nearest name in the target; undefined: it has none. */
export const resultCollation = (
  { kind, name }: Pick<SourceCode, "kind" | "name">,
  source: TextCollations,
  collations: ReadonlySet<string>,
): string | undefined => {
  const own = source.routines.get(`${kind} ${name}`)?.get("");
  return own === undefined ? undefined : nearestCollation(own, (one) => collations.has(one));
};

/** Sentences for what has another collation in the target than in the source. Pure. */
export function collationNotes(
  { kind, name, shown }: Pick<SourceCode, "kind" | "name" | "shown">,
  source: TextCollations,
  target: TextCollations,
): string[] {
  const routine = `${kind} ${name}`;
  const made = target.routines.get(routine);
  const parameters = [...(source.routines.get(routine) ?? [])].flatMap(([parameter, collation]) => {
    const other = made?.get(parameter);
    const subject = parameter === "" ? "its result" : `its parameter ${parameter}`;
    return other === undefined || other === collation
      ? []
      : [`${subject} has the collation ${other}, not ${collation}`];
  });
  const sets = [...namedSets(shown)].flatMap((set) => {
    const [own, other] = [source.defaults.get(set), target.defaults.get(set)];
    return own === undefined || other === undefined || own === other
      ? []
      : [
          `its text names the character set ${set} without a collation, which is ${other} by default in the target, not ${own}`,
        ];
  });
  return [...parameters, ...sets];
}

/** Character sets that a text converts to or declares without a collation. */
function namedSets(text: string): Set<string> {
  const found = new Set<string>();
  outside(text, (between) => {
    for (const [, set = ""] of between.matchAll(/\b(?:character\s+set|charset|using)\s+(\w+)\b(?!\s+collate\b)/gi))
      found.add(setName(set));
    return between;
  });
  return found;
}

/** Of a routine, trigger or event: what takes the default of its database, since its text names no character set for it. Pure. */
export function databaseTexts({ kind, shown, context }: Pick<SourceCode, "kind" | "shown" | "context">): string[] {
  if (kind === "view") return [];
  const text = plainCode(shown, /ANSI_QUOTES|ORACLE/i.test(context.sqlMode));
  const parameters = parametersIn(text).flatMap((parameter) => {
    const [, name = "", type = ""] = parameterHead.exec(parameter) ?? [];
    return takesDefault(type) ? [`its parameter ${unquoted(name)}`] : [];
  });
  const declared = [...text.matchAll(/ORACLE/i.test(context.sqlMode) ? oracleVariables : variables)].flatMap(
    ([, names = "", type = ""]) =>
      takesDefault(type.split(/\bdefault\b|:=/i)[0] ?? "")
        ? names.split(",").map((name) => `its variable ${unquoted(name.trim())}`)
        : [],
  );
  return [...parameters, ...declared];
}

const nameText = "`(?:[^`]|``)*`|[\\w$\\u0080-\\uffff]+";
const variables = new RegExp(`\\bdeclare\\s+((?:${nameText})(?:\\s*,\\s*(?:${nameText}))*)\\s+([^;]*)`, "gi");
const oracleVariables = new RegExp(`(?:(?<=;)|\\b(?:is|as|declare))\\s*(${nameText})\\s+([^;]*)`, "gi");
const parameterHead = new RegExp(`^\\s*(?:(?:in|out|inout)\\s+)?(${nameText})\\s+([\\s\\S]*)`, "i");
const routineHead = new RegExp(
  `\\b(?:procedure|function)\\s+(?:if\\s+not\\s+exists\\s+)?(?:${nameText})(?:\\.(?:${nameText}))?\\s*\\(`,
  "i",
);

const takesDefault = (type: string): boolean =>
  /^(?:(?:long\s+)?varchar2?|char(?:acter)?|(?:tiny|medium|long)?text|long(?!\s+varbinary)|clob|enum(?=\s*\()|set(?=\s*\())\b/i.test(
    type,
  ) && !/\b(?:character\s+set|char\s+set|charset|collate|ascii|unicode|byte)\b/i.test(type);

const unquoted = (name: string) => (name.startsWith("`") ? name.slice(1, -1).replaceAll("``", "`") : name);

/** Without its texts and comments, and with names in one kind of quotes. */
const plainCode = (shown: string, quotes: boolean): string =>
  shown.replace(
    /`(?:[^`]|``)*`|'(?:[^'\\]|''|\\[\s\S])*'?|"(?:[^"\\]|""|\\[\s\S])*"?|\/\*[\s\S]*?(?:\*\/|$)|--\s[^\n]*|#[^\n]*/g,
    (found) => {
      if (found.startsWith("`")) return found;
      if (quotes && found.startsWith('"'))
        return `\`${found.slice(1, -1).replaceAll('""', '"').replaceAll("`", "``")}\``;
      return /^['"]/.test(found) ? "''" : " ";
    },
  );

function parametersIn(text: string): string[] {
  const head = routineHead.exec(text);
  const found: string[] = [];
  if (head === null) return found;
  let depth = 1;
  let start = head.index + head[0].length;
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    if (letter === "(") depth++;
    else if (letter === ")") depth--;
    if (depth > 0 && !(letter === "," && depth === 1)) continue;
    found.push(text.slice(start, at));
    start = at + 1;
    if (depth === 0) break;
  }
  return found;
}

/** The collation of the database that code was made in, where it takes that default; its character set alone between MySQL and MariaDB. */
export const databaseCollation = (
  code: Pick<SourceCode, "kind" | "shown" | "context">,
  crossing: boolean,
): string | undefined => {
  if (databaseTexts(code).length === 0) return undefined;
  return crossing ? setOf(code.context.database) : code.context.database;
};

const setOf = (collation: string): string => setName(collation.replace(/_.*/, ""));

export interface TargetDefault {
  /** The target database's. */
  collation: string;
  collations: ReadonlySet<string>;
}

/**
 * A sentence where code takes the default of its database and the target's is another: its variables and parameters would
 * compare and take other characters there. Pure.
 */
export function databaseNote(
  code: Pick<SourceCode, "kind" | "shown" | "context">,
  { collation, collations }: TargetDefault,
): string | undefined {
  const own = code.context.database;
  const wanted = nearestCollation(own, (one) => collations.has(one)) ?? own;
  if (own === "" || collation === "" || wanted === collation) return undefined;
  const texts = databaseTexts(code);
  if (texts.length === 0) return undefined;
  const named = shortList(texts, mostTexts);
  return `${named} take the default of the database, which is ${collation} in the target, not ${own}: ${databaseFix(setOf(wanted), wanted)}`;
}

const mostTexts = 10;
const databaseFix = (set: string, collation: string) =>
  `make the target database with CHARACTER SET ${set} COLLATE ${collation} before the copy, or name the character set in its text`;
