import type { SourceTable } from "../mysql/catalogue.ts";
import { identifier, qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { priorityOf, splitTable } from "../mysql/split.ts";
import { mysqlMisfit } from "./mysql-check.ts";
import type { Check } from "./types.ts";
import { type Doubt, type Doubtful, refuseMisfits } from "./values.ts";

/** Values of a MySQL source that may not fit. */

/** `value`: SQL of what is copied; the column by default. */
export const mysqlDoubt = (
  column: string,
  types: Doubt["types"],
  checks: readonly Check[],
  value = identifier(column),
): Doubt => ({ column, types, misfits: checks.map((check) => ({ check, sql: mysqlMisfit(value, check) })) });

/** Errors: those of refuseMisfits. */
export const refuseMysqlMisfits = (
  readers: readonly Session[],
  database: string,
  tables: readonly { source: SourceTable; doubts: readonly Doubt[] }[],
  { touch, log }: { touch(): void; log(message: string): void },
): Promise<void> =>
  refuseMisfits(
    tables.map(
      ({ source, doubts }): Doubtful<Session> => ({
        table: source.name,
        bytes: source.dataBytes,
        doubts,
        select: `SELECT ${priorityOf(source)}`,
        async parts(reader) {
          const history = source.versioned ? " FOR SYSTEM_TIME ALL" : "";
          return (await splitTable(reader, database, source)).map(
            ({ where }) =>
              `FROM ${qualified(database, source.name)}${history}${where === undefined ? "" : ` WHERE ${where}`}`,
          );
        },
      }),
    ),
    {
      readers,
      touch,
      log,
      count: async (reader, sql) => ((await reader.query(sql))[0] ?? []).map(Number),
    },
  );
