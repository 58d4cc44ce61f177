/**
 * The collation of the target that compares as one of the source's does, where the target lacks that one itself: as near
 * as there is in padding, case and accents. Unicode's version and a language's own order may differ, which the report says.
 */
export function nearestCollation(name: string, has: (collation: string) => boolean): string | undefined {
  if (has(name)) return name;
  return candidates(name).find(has);
}

/** MySQL's languages → MariaDB's. */
const languages: Record<string, string> = {
  cs: "czech",
  da: "danish",
  de_pb: "german2",
  eo: "esperanto",
  es: "spanish",
  es_trad: "spanish2",
  et: "estonian",
  hr: "croatian",
  hu: "hungarian",
  is: "icelandic",
  la: "roman",
  lt: "lithuanian",
  lv: "latvian",
  pl: "polish",
  ro: "romanian",
  sk: "slovak",
  sl: "slovenian",
  sv: "swedish",
  tr: "turkish",
  vi: "vietnamese",
};

function candidates(name: string): string[] {
  const mysql = /^utf8mb4_(?:([a-z]+(?:_[a-z]+)?)_)?0900_(bin|[a-z]{2}_c[is](?:_ks)?)$/.exec(name);
  if (mysql !== null) return ofMysql(mysql[1] ?? "", (mysql[2] ?? "").replace("_ks", ""));
  const uca = /^(\w+?)_uca1400_(?:([a-z0-9]+)_)?(nopad_)?(a[is]_c[is])$/.exec(name);
  if (uca !== null) return ofMaria(uca[1] ?? "", uca[2] ?? "", uca[3] !== undefined, uca[4] ?? "");
  const nopad = /^([A-Za-z0-9]+)_(?:(\w*)_)?nopad_(bin|ci)$/.exec(name);
  if (nopad !== null) {
    const [, charset = "", middle = "", end = ""] = nopad;
    const utf8 = charset === "utf8mb4" ? [end === "bin" ? "utf8mb4_0900_bin" : "utf8mb4_0900_ai_ci"] : [];
    return [...utf8, `${charset}_${middle === "" ? "" : `${middle}_`}${end}`, `${charset}_bin`];
  }
  // `utf8_…` is what servers call utf8mb3 that know no other.
  if (name.startsWith("utf8mb3_")) return [`utf8_${name.slice(8)}`, "utf8mb3_general_ci", "utf8_general_ci"];
  if (name.startsWith("utf8_")) return [`utf8mb3_${name.slice(5)}`, "utf8mb3_general_ci"];
  return [];
}

function ofMysql(language: string, strength: string): string[] {
  if (strength === "bin") return ["utf8mb4_nopad_bin", "utf8mb4_bin"];
  const own = languages[language];
  const bases = [
    ...(own === undefined ? [] : [`utf8mb4_uca1400_${own}_nopad_${strength}`]),
    `utf8mb4_uca1400_nopad_${strength}`,
  ];
  if (strength === "ai_ci")
    return [...bases, "utf8mb4_unicode_520_nopad_ci", "utf8mb4_unicode_nopad_ci", "utf8mb4_unicode_ci"];
  return [...bases, ...(strength.endsWith("cs") ? ["utf8mb4_nopad_bin", "utf8mb4_bin"] : ["utf8mb4_unicode_nopad_ci"])];
}

function ofMaria(charset: string, language: string, nopad: boolean, strength: string): string[] {
  const own = Object.entries(languages).find(([, theirs]) => theirs === language)?.[0];
  const binary = `${charset}_bin`;
  const plain = [`${charset}_unicode_520_ci`, `${charset}_unicode_ci`];
  const newer = [...(own === undefined ? [] : [`utf8mb4_${own}_0900_${strength}`]), `utf8mb4_0900_${strength}`];
  const ofUtf8 = charset === "utf8mb4" ? newer : [];
  if (strength === "ai_cs") return [...(charset === "utf8mb4" ? ["utf8mb4_0900_as_cs"] : []), binary];
  if (nopad || strength !== "ai_ci") return [...ofUtf8, ...(strength.endsWith("cs") ? [binary] : plain)];
  return [...(own === undefined ? [] : [`${charset}_${language}_ci`]), ...plain, ...ofUtf8];
}
