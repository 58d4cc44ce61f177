import type { MadeObject } from "../../../contract/index.ts";
import { named } from "../../../contract/text/own-property.ts";
import { identifier, literal, qualified } from "../../../postgres/driver/names.ts";

/**
 * Which of PostgreSQL's collations takes for equal what a collation of MySQL does: ICU's, not deterministic, at the same
 * level. test/engine/mysql/folding.test.ts compares them by every character. Pure.
 */
interface Folding {
  /** Undefined: equal bytes, once trailing spaces are gone. */
  collation: { name: string; locale: string } | undefined;
  /** Trailing spaces do not count. */
  pads: boolean;
  /** Every single character that the source takes for equal is equal here; otherwise a few are not, or more are. */
  exact: boolean;
}

const levels = { ai_ci: "level1", as_ci: "level2", as_cs: "level3" } as const;

/** ICU's names of the languages in MySQL's; one without its own order of equal letters is not here. */
const languages: Record<string, string> = {
  swedish: "sv",
  danish: "da",
  german1: "de",
  german2: "de-u-co-phonebk",
  spanish: "es",
  spanish2: "es-u-co-trad",
  polish: "pl",
  czech: "cs",
  hungarian: "hu",
  romanian: "ro",
  icelandic: "is",
  latvian: "lv",
  lithuanian: "lt",
  slovak: "sk",
  slovenian: "sl",
  estonian: "et",
  croatian: "hr",
  esperanto: "eo",
  turkish: "tr",
  vietnamese: "vi",
};

/** Undefined: no collation of PostgreSQL's is known to be as strict, or equal bytes are all that is equal there, too. */
export function foldingOf(collation: string): Folding | undefined {
  const name = collation.toLowerCase();
  const pads = !/_0900_|nopad/.test(name);
  if (name.endsWith("_bin")) return pads ? { collation: undefined, pads, exact: true } : undefined;
  const found =
    /^[a-z0-9]+_(?:(?:(general|unicode|unicode_520|[a-z]+[12]?)(?:_mysql500)?(?:_nopad)?_ci)|(?:(?:([a-z]{2}(?:_[a-z]+)?)_)?0900_(ai_ci|as_ci|as_cs))|(?:uca1400_(?:([a-z]+[12]?)_)?(?:nopad_)?(ai_ci|as_ci|as_cs)))$/.exec(
      name,
    );
  if (found === null) return undefined;
  const [, old, short, level = found[5] ?? "ai_ci", long] = found;
  const family = old ?? long;
  const general = family === undefined || /^(general|unicode|unicode_520)$/.test(family);
  const locale = short === undefined ? (general ? "und" : named(languages, family)) : localeOf(short);
  if (locale === undefined) return undefined;
  const strength = levels[level as keyof typeof levels];
  const exact = locale === "und" && old === undefined && strength === "level1";
  return {
    collation: {
      name: locale === "und" ? level : `${locale.replaceAll("-", "_")}_${level}`,
      locale: `${locale}${locale.includes("-u-") ? "" : "-u"}-ks-${strength}`,
    },
    pads,
    exact,
  };
}

/** `de_pb`, `es_trad`, `sv`. Those of East Asia have an order of their own that ICU does not share. */
function localeOf(short: string): string | undefined {
  const [language = "", variant] = short.split("_");
  if (/^(ja|zh|ru|bs|bg|gl|la|mn|nb|nn|sr)$/.test(language))
    return language === "ja" || language === "zh" ? undefined : "und";
  if (variant === undefined) return language;
  return variant === "pb" ? `${language}-u-co-phonebk` : variant === "trad" ? `${language}-u-co-trad` : undefined;
}

/** An SQL expression whose values are equal exactly where the source's are. `text`: SQL of type text or varchar. */
export function foldedKey({ collation, pads }: Folding, text: string, schema: string, name: string): string {
  const trimmed = pads ? `rtrim((${text})::text, ' ')` : text;
  return collation === undefined ? `(${trimmed})` : `(${trimmed}) COLLATE ${qualified(schema, name)}`;
}

/** What its name is given for (`nameFor`). */
export const collationIdentity = (locale: string): string => `collation ${locale}`;

/** An object that tables of a run share: it is made before them. */
export interface Shared {
  made: MadeObject;
  create: string;
  /** Each time, also when it was there from an earlier attempt. */
  after?: string;
}

export const sharedCollation = (schema: string, name: string, locale: string): Shared => ({
  made: { kind: "collation", name: [schema, name] },
  create: `CREATE COLLATION ${qualified(schema, name)} (provider = icu, locale = ${literal(locale)}, deterministic = false)`,
});

/** Said of a key whose folding is kept by an index of its own. */
export const foldingMessage = (column: string, collation: string, { exact, collation: own }: Folding): string => {
  if (own === undefined) return `${column} (${collation}): trailing spaces do not count there either`;
  const how = exact
    ? "which takes each character for equal that the source does"
    : "which differs from the source's in a few characters";
  return `${column} (${collation}) by ICU's ${identifier(own.locale)}, ${how}`;
};
