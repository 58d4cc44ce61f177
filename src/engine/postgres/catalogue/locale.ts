import type { Session } from "../driver/connection.ts";

/**
 * By what a database sorts texts that have no collation of their own, and takes letters for upper or lower case: the
 * provider, its locale and rules, and LC_CTYPE. Two providers sort otherwise though their locales have one name.
 */
export async function databaseLocale(session: Session): Promise<string> {
  const [row] = await session.query<{ locale: string }>(
    // Each major version knows other columns: 15 has the provider, 16 ICU's rules, 17 another name for the locale.
    `SELECT pg_catalog.concat_ws(', ',
              CASE d ->> 'datlocprovider' WHEN 'i' THEN 'icu ' WHEN 'b' THEN 'builtin ' ELSE '' END
                || COALESCE(d ->> 'datlocale', d ->> 'daticulocale', d ->> 'datcollate'),
              CASE WHEN d ->> 'datctype' <> d ->> 'datcollate' OR d ->> 'datlocprovider' <> 'c' THEN 'LC_CTYPE ' || (d ->> 'datctype') END,
              'rules ' || NULLIF(d ->> 'daticurules', '')) AS locale
       FROM (SELECT pg_catalog.to_jsonb(b) AS d FROM pg_catalog.pg_database b WHERE b.datname = pg_catalog.current_database()) x`,
  );
  return row?.locale ?? "";
}

/** What it means that the two differ; undefined where they do not. */
export async function otherLocale(source: Session, target: Session): Promise<string | undefined> {
  const [ours, theirs] = await Promise.all([databaseLocale(source), databaseLocale(target)]);
  if (ours === theirs) return undefined;
  return `its locale is ${theirs}, and the source's is ${ours}: texts without a collation of their own are sorted otherwise`;
}

/**
 * Words for a source that does not know the encoding of its texts, and a target whose encoding takes bytes that may mean
 * other characters in it. In UTF8, bytes of another encoding are refused.
 */
export const unknownEncoding = (source: string, target: string): string | undefined =>
  source !== "SQL_ASCII" || target === "SQL_ASCII" || target === "UTF8"
    ? undefined
    : `the source database is SQL_ASCII, which does not know the encoding of its texts: the target takes their bytes as ${target}; if they are UTF-8 or of another encoding, copy into a database of that encoding`;
