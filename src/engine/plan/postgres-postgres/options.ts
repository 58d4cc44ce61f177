import { type CopyRequest, EngineError } from "../../contract/index.ts";
import { renamedSchemas } from "../../run/renamed-schemas.ts";

/** Names are in the text of views and routines as well, which pg_dump writes whole. Errors: `unsupported_option`. */
export function refuseUnknown({ schemas }: CopyRequest["options"]): void {
  const renamed = renamedSchemas(schemas);
  if (renamed.length === 0) return;
  throw new EngineError(
    "unsupported_option",
    `schemas cannot be renamed between PostgreSQL servers (requested: ${renamed.map(([from, to]) => `${from} to ${to}`).join(", ")}), since the source's functions name them in their own text: copy under the same names, then ALTER SCHEMA … RENAME TO …`,
  );
}
