import { type CopyOptions, EngineError } from "../contract/index.ts";
import { dotFix, readName } from "../contract/text/full-name.ts";
import { many, matchesWildcards } from "../contract/text/wildcards.ts";

/**
 * Which tables are copied: `include` and `exclude` of the options. A pattern is `table` or `schema.table`, exactly as the
 * source calls them, with `*` for any run of characters of one name; a name that has a dot itself is written in quotes.
 */
export interface Selection {
  /** In MySQL the schema is the database. */
  has(schema: string, table: string): boolean;
  /** Errors: `option_unmatched` naming each pattern that no table of the source matches. */
  refuseUnmatched(tables: readonly { schema: string; table: string }[]): void;
}

export function createSelection({ include, exclude = [] }: Pick<CopyOptions, "include" | "exclude">): Selection {
  const wanted = include?.map((text) => pattern(text, "include"));
  const unwanted = exclude.map((text) => pattern(text, "exclude"));
  const any = (patterns: readonly Pattern[], schema: string, table: string) =>
    patterns.some(({ matches }) => matches(schema, table));
  return {
    has: (schema, table) => (wanted === undefined || any(wanted, schema, table)) && !any(unwanted, schema, table),
    refuseUnmatched(tables) {
      const lost = [...(wanted ?? []), ...unwanted].filter(
        ({ matches }) => !tables.some(({ schema, table }) => matches(schema, table)),
      );
      if (lost.length === 0) return;
      const named = lost.map(({ text, option }) => `${JSON.stringify(text)} of options.${option}`);
      throw new EngineError(
        "option_unmatched",
        `no table of the source matches ${named.join(", ")}: write table or schema.table as the source calls it, * for any characters, ${dotFix}`,
      );
    },
  };
}

interface Pattern {
  option: "include" | "exclude";
  text: string;
  matches(schema: string, table: string): boolean;
}

function pattern(text: string, option: Pattern["option"]): Pattern {
  const each = (readName(text) ?? []).map((name) =>
    [...name].map((character) => (character === "*" ? many : character)),
  );
  const matches = (...names: string[]) =>
    each.length > 0 &&
    each.length <= names.length &&
    each.every((one, at) => matchesWildcards(one, names.slice(-each.length)[at] ?? ""));
  return { option, text, matches };
}
