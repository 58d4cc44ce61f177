/**
 * SQL for the text of a PostgreSQL `real` that becomes a DOUBLE: its shortest, which a person sees (0.1, where the number itself is
 * 0.10000000149011612). Read as a double and rounded to a real it is the same number again; where it is not (7.038531e-26: it is
 * rounded twice), the text has all digits.
 */
export function realText(real: string): string {
  const text = `${real}::pg_catalog.text`;
  const again = `${text}::pg_catalog.float8::pg_catalog.float4`;
  return `CASE WHEN ${again} = ${real} THEN ${text} ELSE ${real}::pg_catalog.float8::pg_catalog.text END`;
}
