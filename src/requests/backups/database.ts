import type { CheckedUrl } from "../../guard/check.ts";
import { Problem } from "../errors.ts";
import { signature } from "../keys.ts";
import { checkOne } from "../migrations/urls.ts";
import type { World } from "../world.ts";

/** Throws Problem `url_refused`, and `invalid` for MySQL and MariaDB, of which there are no backups. */
export function checkDatabase({ settings }: World, url: string, ca: string | undefined): CheckedUrl {
  const checked = checkOne("database_url", url, ca, settings.guard);
  if (checked.endpoint.engine === "postgres") return checked;
  throw new Problem("invalid", onlyPostgres, { errors: [{ field: "database_url", message: onlyPostgres }] });
}

const onlyPostgres =
  "Backups of MySQL and MariaDB are not available yet. Use the URL of a PostgreSQL database (postgres:// or postgresql://).";

/** The same text for each way to write the same database, whatever the user, the password and TLS. */
export const databaseDigest = (secret: Uint8Array, { engine, host, port, database }: CheckedUrl["endpoint"]): string =>
  signature(secret, "database", engine, host.toLowerCase().replace(/\.$/, ""), String(port), database)
    .subarray(0, 16)
    .toString("base64url");
