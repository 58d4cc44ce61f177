import { identifier, literal, qualified } from "../../engine/mysql/driver/names.ts";
import type { Sequence } from "../../engine/plan/mysql-mysql/copy/sequences.ts";
import { foreignKeyTo } from "../../engine/plan/mysql-mysql/finish/foreign-keys.ts";
import { createStatement, type TablePlan } from "../../engine/plan/mysql-mysql/tables/table-plan.ts";

/** The SQL of tables in an archive. No statement names the database, so that it can be restored into another. Pure. */

/**
 * Before all others, in each file: every value and definition means what it meant when it was read. No mode is strict: an ENUM may hold
 * what is in no list.
 */
export const settings: readonly string[] = [
  "SET NAMES utf8mb4",
  "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION,ALLOW_INVALID_DATES', SESSION time_zone = '+00:00', SESSION foreign_key_checks = 0",
];

/** Before rows of the past, in MariaDB. */
export const historySetting = "SET SESSION system_versioning_insert_history = 1";

/** The database's own default, which parameters of routines have. */
export const databaseStatement = (charset: string, collation: string): string =>
  `ALTER DATABASE CHARACTER SET ${charset} COLLATE ${collation}`;

export const tableStatement = (plan: TablePlan): string =>
  createStatement(plan, undefined, literal(plan.source.comment));

export const sequenceStatements = ({ name, shown, next, cycles }: Sequence): string[] => [
  shown.replace(/^CREATE SEQUENCE `(?:[^`]|``)*`/, () => `CREATE SEQUENCE ${identifier(name)}`),
  `DO SETVAL(${identifier(name)}, ${next}, 0, ${cycles})`,
];

/** What is left for after the rows: indexes, then foreign keys. */
export const laterStatements = (plans: readonly TablePlan[], database: string): string[] => [
  ...plans.flatMap(({ name, later }) =>
    later.map((texts) => `ALTER TABLE ${identifier(name)} ${texts.map((text) => `ADD ${text}`).join(", ")}`),
  ),
  ...plans.flatMap((plan) =>
    plan.source.foreignKeys.map((key) => {
      const { referencedSchema, referencedTable } = key;
      const parent =
        referencedSchema === database ? identifier(referencedTable) : qualified(referencedSchema, referencedTable);
      return `ALTER TABLE ${identifier(plan.name)} ADD ${foreignKeyTo(key, plan, parent)}`;
    }),
  ),
];
