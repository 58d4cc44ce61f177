import { labelsOf } from "../../mysql/catalogue/catalogue-text.ts";
import { usualType } from "../postgres-mysql/tables/shape.ts";
import { usualCharset } from "./charsets.ts";
import type { ValueType } from "./types.ts";

/** A type of MySQL or MariaDB, as COLUMN_TYPE or DDL writes it, in the words of types.ts. Pure. */

const bitsOf: Record<string, bigint> = { tinyint: 8n, smallint: 16n, mediumint: 24n, int: 32n, bigint: 64n };
const textBytes: Record<string, number> = {
  tinytext: 255,
  text: 65_535,
  mediumtext: 16_777_215,
  longtext: 4_294_967_295,
};
const blobBytes: Record<string, number> = {
  tinyblob: 255,
  blob: 65_535,
  mediumblob: 16_777_215,
  longblob: 4_294_967_295,
};

/** `charset`: the column's, or null where it has none. */
export function mysqlValueType(sql: string, charset: string | null, maria: boolean): ValueType {
  const named = declaredCharset(sql);
  const text = usualType(sql.replace(/ (?:CHARACTER SET|COLLATE) \w+/gi, ""), maria);
  const [, name = text, within = "", after = ""] = /^(\w+)(?:\(([\s\S]*)\))?(.*)$/.exec(text) ?? [];
  const [size, scale] = /^[\d,]+$/.test(within) ? within.split(",").map(Number) : [];
  const bits = bitsOf[name];
  if (bits !== undefined) {
    const unsigned = /unsigned/.test(after);
    return unsigned
      ? { is: "integer", low: 0n, high: 2n ** bits - 1n }
      : { is: "integer", low: -(2n ** (bits - 1n)), high: 2n ** (bits - 1n) - 1n };
  }
  const set = charsetOf(named ?? charset);
  const within4 = set === undefined ? {} : { charset: set };
  const bytes = textBytes[name];
  if (bytes !== undefined) return { is: "text", bytes, spaces: "kept", ...within4 };
  const most = blobBytes[name];
  if (most !== undefined) return { is: "bytes", most, fixed: false };
  switch (name) {
    case "decimal":
      return { is: "decimal", precision: size ?? 10, scale: scale ?? 0 };
    case "float":
    case "double": {
      const bits = name === "double" || (scale === undefined && (size ?? 0) > 24) ? 53 : 24;
      return { is: "float", bits, ...(size === undefined || scale === undefined ? {} : { precision: size, scale }) };
    }
    case "char":
      return { is: "text", characters: size ?? 1, spaces: "dropped", ...within4 };
    case "varchar":
      return { is: "text", characters: size ?? 0, spaces: "kept", ...within4 };
    case "binary":
      return { is: "bytes", most: size ?? 1, fixed: true };
    case "varbinary":
      return { is: "bytes", most: size ?? 0, fixed: false };
    case "bit":
      return { is: "bits", most: size ?? 1, varying: false };
    case "date":
      return { is: "date" };
    case "datetime":
      return { is: "timestamp", fraction: size ?? 0, zone: false };
    case "timestamp":
      // The largest that a server of the kind takes; it refuses what is too large for its own version.
      return {
        is: "timestamp",
        fraction: size ?? 0,
        zone: true,
        end: maria ? "2106-02-07 06:28:16" : "2038-01-19 03:14:08",
      };
    case "time":
      return { is: "time", fraction: size ?? 0, zone: false };
    case "enum":
    case "set":
      // The server cuts their spaces at the end.
      return {
        is: "labels",
        many: name === "set",
        labels: labelsOf(sql).map((label) => label.replace(/(?<! ) +$/, "")),
      };
    default:
      return { is: "other", name };
  }
}

/** As DDL says it, by itself or by a collation. */
export const declaredCharset = (sql: string): string | undefined =>
  (/ CHARACTER SET (\w+)/i.exec(sql)?.[1] ?? / COLLATE (?!uca)([a-z0-9]+)/i.exec(sql)?.[1])?.toLowerCase();

/** Sets of characters that have all of Unicode's. */
const complete = new Set(["utf8mb4", "utf16", "utf16le", "utf32", "gb18030"]);

const charsetOf = (name: string | null | undefined): string | undefined => {
  const usual = usualCharset(name ?? null);
  return usual === null || complete.has(usual) ? undefined : usual;
};
