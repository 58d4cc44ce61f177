import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { sharedText } from "../../run/memory/shared-text.ts";
import type { Row } from "../driver/session-types.ts";

/** Rows alone: the columns of a table that is there, and whether a copy can give each a value. */

export interface PresentColumn {
  name: string;
  /** As the server writes it. */
  type: string;
  charset: string | null;
  collation: string | null;
  generated: boolean;
  auto: boolean;
  notNull: boolean;
  /** It has to be given a value. */
  required: boolean;
}

/** MySQL's names of columns know no case. */
export const foldColumn = (name: string): string => name.toLowerCase();

/** Of information_schema.COLUMNS, for `presentColumn`. */
export const presentFields =
  "COLUMN_NAME, COLUMN_TYPE, EXTRA, IS_NULLABLE, COLUMN_DEFAULT, CHARACTER_SET_NAME, COLLATION_NAME";

export function presentColumn([name, type, extra, nullable, value, charset, collation]: Row): PresentColumn {
  const generated = /\bGENERATED\b/.test((extra ?? "").replace("DEFAULT_GENERATED", ""));
  const auto = /auto_increment/i.test(extra ?? "");
  const notNull = nullable === "NO";
  return {
    ...{ name: sharedText(name ?? ""), type: sharedText(type ?? "") },
    ...{ charset: shared(charset), collation: shared(collation) },
    ...{ generated, auto, notNull, required: notNull && !generated && !auto && value === null },
  };
}

/** What many tables say alike is kept once. */
const shared = (text: string | null | undefined) => (text == null ? null : sharedText(text));

/** `there`: by their folded names. Errors: `schema_differs`, where one is missing, or needs a value and would get none. */
export function requireColumns(
  table: string,
  columns: readonly { name: string }[],
  there: ReadonlyMap<string, PresentColumn>,
): void {
  const namesOf = (some: readonly { name: string }[]) => printable(some.map(({ name }) => name).join(", "));
  const missing = columns.filter(({ name }) => !there.has(foldColumn(name)));
  if (missing.length > 0) throw differs(table, `lacks the columns ${namesOf(missing)}`);
  const given = new Set(columns.map(({ name }) => foldColumn(name)));
  const wanting = [...there.values()].filter(({ name, required }) => required && !given.has(foldColumn(name)));
  if (wanting.length > 0)
    throw differs(
      table,
      `has columns that are not in the source and need a value: ${namesOf(wanting)}; give them a default`,
    );
}

/**
 * Why a column takes no value of the source's as it is; undefined where it does. AUTO_INCREMENT stores a number of its own for
 * each NULL, under any sql_mode.
 */
export function unwritable(
  source: { name: string; nullable: boolean; generated: boolean },
  { generated, auto }: PresentColumn,
): string | undefined {
  if (generated && !source.generated)
    return `${source.name} is generated in the target and a plain column in the source`;
  return auto && source.nullable
    ? `${source.name} takes NULL in the source, for which AUTO_INCREMENT would store new numbers: make it NOT NULL there, or remove AUTO_INCREMENT from the target's column`
    : undefined;
}

/** `unfit`: columns, each with why. Errors: `schema_differs`. */
export function refuseUnfit(table: string, unfit: readonly string[], fix: string): void {
  if (unfit.length > 0)
    throw differs(table, `cannot take every value of the source: ${printable(unfit.slice(0, 5).join("; "))}; ${fix}`);
}

const differs = (table: string, words: string) =>
  new EngineError("schema_differs", `table ${printable(table)} of the target ${words}`);
