import { identifier, qualified } from "../driver/names.ts";

const mostGranted = 5;

/** What lets a user read these tables. */
export function tableGrant(tables: readonly { schema: string; name: string }[], user: string): string {
  const schemas = [...new Set(tables.map(({ schema }) => identifier(schema)))].sort().join(", ");
  const on =
    tables.length > mostGranted
      ? `ALL TABLES IN SCHEMA ${schemas}`
      : tables.map(({ schema, name }) => qualified(schema, name)).join(", ");
  const to = identifier(user);
  return `GRANT USAGE ON SCHEMA ${schemas} TO ${to}; GRANT SELECT ON ${on} TO ${to}`;
}
