import type { Session } from "../../postgres/driver/connection.ts";
import { identifier } from "../../postgres/driver/names.ts";
import { postgresMisfit } from "./postgres-check.ts";
import type { Check } from "./types.ts";
import { type Doubt, type Doubtful, type Looking, refuseMisfits } from "./values.ts";

/** Values of a PostgreSQL source that may not fit. */

/** `value`: SQL of what is copied, in brackets; the column by default. */
export const postgresDoubt = (
  column: string,
  types: Doubt["types"],
  checks: readonly Check[],
  value = identifier(column),
): Doubt => ({ column, types, misfits: checks.map((check) => ({ check, sql: postgresMisfit(value, check) })) });

export interface PostgresDoubtful extends Pick<Doubtful<Session>, "table" | "bytes" | "doubts"> {
  parts: readonly string[];
}

/** Words and errors: those of refuseMisfits. */
export const refusePostgresMisfits = (
  readers: readonly Session[],
  tables: readonly PostgresDoubtful[],
  hooks: Pick<Looking<never>, "touch" | "begins" | "did"> & { log(message: string): void },
): Promise<string[]> =>
  refuseMisfits(
    tables.map((table): Doubtful<Session> => ({ ...table, select: "SELECT ", parts: async () => table.parts })),
    {
      readers,
      ...hooks,
      async count(reader, sql) {
        const [row = {}] = await reader.query<Record<string, number>>(sql);
        return Object.values(row);
      },
    },
  );
