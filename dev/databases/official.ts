// A database's official image in a pod: the variables of its entrypoint, and a folder for its data.
import type { Server, ServerInput } from "./container.ts";

/** `mysql`, `postgres`: the account that owns the data in each of these images. */
const account = 999;

/** Listens on the network only once the first start is over; before, the socket's server has no port. */
const ready = {
  mysql: 'MYSQL_PWD="$MYSQL_ROOT_PASSWORD" mysql --host=127.0.0.1 --user=root --execute="SELECT 1" "$MYSQL_DATABASE"',
  mariadb:
    'MYSQL_PWD="$MARIADB_ROOT_PASSWORD" mariadb --host=127.0.0.1 --user=root --execute="SELECT 1" "$MARIADB_DATABASE"',
  postgres:
    'PGPASSWORD="$POSTGRES_PASSWORD" psql --host=127.0.0.1 --username=postgres --command="SELECT 1" "$POSTGRES_DB"',
} as const;

const programs = { mysql: "mysqld", mariadb: "mariadbd", postgres: "postgres" } as const;

/** A server of the official image `mysql`, `mariadb` or `postgres`. */
export const officialServer = ({ engine, database, password, args }: ServerInput): Server => {
  const [secret, name] =
    engine === "postgres"
      ? ["POSTGRES_PASSWORD", "POSTGRES_DB"]
      : [`${engine.toUpperCase()}_ROOT_PASSWORD`, `${engine.toUpperCase()}_DATABASE`];
  // PostgreSQL's default place depends on its version, and must not be the volume's own root.
  const [mountPath, place] =
    engine === "postgres" ? ["/data", [{ name: "PGDATA", value: "/data/db" }]] : ["/var/lib/mysql", []];
  return {
    account,
    container: {
      args: [programs[engine], ...args],
      env: [{ name: secret, ...password }, { name, value: database }, ...place],
      volumeMounts: [{ name: "data", mountPath }],
    },
    ready: ["sh", "-c", ready[engine]],
    // Its entrypoint writes to folders that differ between versions.
    readOnlyRoot: false,
  };
};
