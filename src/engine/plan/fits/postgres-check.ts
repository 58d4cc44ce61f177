import { literal } from "../../postgres/driver/names.ts";
import type { Check } from "./types.ts";

/** A check as SQL of PostgreSQL: true for a value that does not pass. `value` is SQL as well. Pure. */
export function postgresMisfit(value: string, check: Check): string {
  const text = `(${value})::pg_catalog.text`;
  switch (check.check) {
    case "range":
      return `(${value} < ${check.low} OR ${value} > ${check.high})`;
    case "digits":
      return digits(check.of === "float" || check.after < 0 ? `${text}::pg_catalog.numeric` : value, text, check);
    case "significant": {
      const [low, high, type] = check.bits === 24 ? ["1e-30", "1e30", "float4"] : ["1e-290", "1e290", "float8"];
      const size = `pg_catalog.abs(${value})`;
      const lost = `${value}::pg_catalog.${type}::pg_catalog.numeric <> ${value}`;
      return finite(text, `CASE WHEN ${size} > ${high} OR ${size} < ${low} THEN ${value} <> 0 ELSE ${lost} END`);
    }
    case "single": {
      const size = `pg_catalog.abs(${value})`;
      const lost = `${value}::pg_catalog.float4::pg_catalog.float8 <> ${value}`;
      return finite(
        text,
        `CASE WHEN ${size} > 3.4028234663852886e38 THEN true WHEN ${size} < 1.1754943508222875e-38 THEN ${value} <> 0 ELSE ${lost} END`,
      );
    }
    case "characters":
      return `pg_catalog.char_length(${text}) > ${check.most}`;
    case "bytes":
      return `pg_catalog.octet_length(${check.of === "bytes" ? value : text}) > ${check.most}`;
    case "length":
      return `pg_catalog.octet_length(${check.of === "text" ? text : value}) <> ${check.bytes}`;
    case "spaces":
      return `pg_catalog.right(${text}, 1) = ' ' COLLATE "C"`;
    case "fraction":
      return `pg_catalog.date_part('microseconds', ${value})::pg_catalog.int8 % ${10 ** (6 - check.digits)} <> 0`;
    case "moment": {
      // Those that MySQL does not know at all become NULL.
      const moment = `(${value})::pg_catalog.timestamptz`;
      return `((${moment} < '1970-01-01 00:00:01+00' OR ${moment} >= '${check.end}+00') AND ${moment} >= '0001-01-01 00:00:00+00' AND ${moment} < '10000-01-01 00:00:00+00')`;
    }
    case "midnight":
      return `${value}::pg_catalog.time <> '00:00'`;
    case "finite":
      return `${text} ~ 'I'`;
    case "late":
      return `(${value} > '294276-12-31' AND pg_catalog.isfinite(${value}))`;
    case "label":
      return check.labels.length === 0
        ? `${value} IS NOT NULL`
        : `${text} COLLATE "C" NOT IN (${check.labels.map(literal).join(", ")})`;
    case "labels":
      return `EXISTS (SELECT FROM pg_catalog.unnest(${value}) AS l(label) WHERE ${postgresMisfit("l.label", { ...check, check: "label" })})`;
    case "members": {
      const labels = `ARRAY[${check.labels.map(literal).join(", ")}]::pg_catalog.text[]`;
      const given = `pg_catalog.string_to_array(${text}, ',')`;
      const kept = `SELECT coalesce(pg_catalog.string_agg(label, ',' ORDER BY place), '') FROM pg_catalog.unnest(${labels}) WITH ORDINALITY AS l(label, place) WHERE label COLLATE "C" = ANY (${given})`;
      return `${text} COLLATE "C" <> (${kept})`;
    }
    case "null":
      return `${value} IS NOT DISTINCT FROM NULL`;
    case "form":
    case "written":
      return `${text} !~ ${literal(check.pattern)} COLLATE "C"`;
    case "encoded":
      return `${text} !~ ${literal(utf8)} COLLATE "C"`;
    case "bounds":
      return `pg_catalog.array_dims(${value}) !~ '^(\\[1:[0-9]+\\])+$'`;
    case "clock":
    case "condition":
      return "false";
    case "charset":
      if (check.characters !== undefined)
        return `${text} ~ ${literal(`[^\\u0001-\\u007f${check.characters}]`)} COLLATE "C"`;
      // Else the target's server alone knows the set; it refuses what it lacks.
      return "false";
  }
}

/** For a database of SQL_ASCII, to which each byte is a character: a text in UTF-8. */
const utf8 = `^(${[
  "[\\u0001-\\u007f]",
  "[\\u00c2-\\u00df][\\u0080-\\u00bf]",
  "\\u00e0[\\u00a0-\\u00bf][\\u0080-\\u00bf]",
  "[\\u00e1-\\u00ec\\u00ee\\u00ef][\\u0080-\\u00bf]{2}",
  "\\u00ed[\\u0080-\\u009f][\\u0080-\\u00bf]",
  "\\u00f0[\\u0090-\\u00bf][\\u0080-\\u00bf]{2}",
  "[\\u00f1-\\u00f3][\\u0080-\\u00bf]{3}",
  "\\u00f4[\\u0080-\\u008f][\\u0080-\\u00bf]{2}",
].join("|")})*$`;

/** NaN and the infinities are refused by the target's server, or kept. */
const finite = (text: string, condition: string) => `CASE WHEN ${text} ~ '[NI]' THEN false ELSE ${condition} END`;

function digits(value: string, text: string, { before, after }: Extract<Check, { check: "digits" }>): string {
  const large = before === undefined ? "" : `pg_catalog.abs(${value}) >= 1e${before} OR `;
  return finite(text, `(${large}${value} <> pg_catalog.trunc(${value}, ${after}))`);
}
