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
