// The databases that demo and tests run against.
import type { RecipeName } from "../image/recipes.ts";
import type { Engine } from "./server.ts";

export const kinds = {
  mysql: { engine: "mysql", root: "databases", port: 3306, admin: "root", adminDatabase: "mysql" },
  mariadb: { engine: "mariadb", root: "databases-old", port: 3306, admin: "root", adminDatabase: "mysql" },
  postgres: { engine: "postgres", root: "databases", port: 5432, admin: "postgres", adminDatabase: "postgres" },
  "postgres-old": {
    engine: "postgres",
    root: "databases-old",
    port: 5432,
    admin: "postgres",
    adminDatabase: "postgres",
  },
} as const satisfies Record<
  string,
  { engine: Engine; root: RecipeName; port: number; admin: string; adminDatabase: string }
>;

export type DatabaseKind = keyof typeof kinds;

/** The URL scheme of a kind, as users write it. */
export const scheme = (kind: DatabaseKind): string =>
  kinds[kind].engine === "postgres" ? "postgres" : kinds[kind].engine;

/** Percent-encodes every part. */
export const databaseUrl = (
  kind: DatabaseKind,
  at: { user: string; password: string; host: string; port: number; database: string },
): string =>
  `${scheme(kind)}://${encodeURIComponent(at.user)}:${encodeURIComponent(at.password)}@${at.host}:${at.port}/${encodeURIComponent(at.database)}`;
