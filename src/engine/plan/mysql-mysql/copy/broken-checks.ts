import { counted } from "../../../../guard/text.ts";
import type { InventoryEntry } from "../../../contract/index.ts";
import { unescaped } from "../../../mysql/catalogue/catalogue.ts";
import { readConditions } from "../../../mysql/catalogue/table-conditions.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { runTableDdl } from "../../../mysql/target/doubled-labels.ts";
import { RefusedRows } from "../../../mysql/target/loader.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/**
 * Rows that break the checks of their own table: MariaDB takes them while check_constraint_checks is off, and two kinds of
 * servers may compute a check differently. They are copied, and each such check is named with their number.
 */
export interface BrokenChecks {
  /** The table's rows are loaded without regard to its checks. */
  has(plan: TablePlan): boolean;
  /** They have to be allowed before the first row: the table's engine would keep a part of what was refused. */
  atOnce(plan: TablePlan): boolean;
  /** From now on. Outside of a transaction. */
  allow(session: Session, plan: TablePlan): Promise<void>;
  /** Runs `load`, and takes what breaks the checks if it is allowed for the table. */
  during<T>(session: Session, plan: TablePlan, load: () => Promise<T>): Promise<T>;
  /** When all rows are there: the checks hold again, but for those that rows break. Entries for these. */
  settle(session: Session, plan: TablePlan): Promise<InventoryEntry[]>;
}

/** What is said of them. */
export const brokenChecks = (entries: readonly InventoryEntry[]): string[] =>
  entries.flatMap(({ kind, name, note }) => (kind === "check" ? [`check ${name}: ${note}`] : []));

/** A table in which a transaction can be undone. */
const isTransactional = ({ translated }: TablePlan) => translated.options.some(({ value }) => value === "InnoDB");

/** The target's answer to the rows of a table, which can be loaded once more. */
export const breaksChecks = (error: unknown, plan: TablePlan): boolean =>
  error instanceof RefusedRows &&
  error.warnings.some((number) => number === 3819 || number === 4025) &&
  isTransactional(plan);

export function createBrokenChecks(fence: MysqlFence, database: string): BrokenChecks {
  const allowed = new Map<TablePlan, Promise<readonly { name: string; clause: string }[]>>();

  const enforce = async (session: Session, { name }: TablePlan, checks: readonly string[], how: string) => {
    if (session.server.maria || checks.length === 0) return;
    await fence.guard(session);
    const changes = checks.map((check) => `ALTER CHECK ${identifier(check)} ${how}`);
    await runTableDdl(session, `ALTER TABLE ${qualified(database, name)} ${changes.join(", ")}`);
  };

  const open = async (session: Session, plan: TablePlan) => {
    const checks = (await readConditions(session, database)).get(plan.name) ?? [];
    await enforce(
      session,
      plan,
      checks.map(({ name }) => name),
      "NOT ENFORCED",
    );
    return checks;
  };

  return {
    has: (plan) => allowed.has(plan),
    atOnce: (plan) => !plan.checked && plan.source.checks.length > 0 && !isTransactional(plan),
    async allow(session, plan) {
      const opening = allowed.get(plan) ?? open(session, plan);
      allowed.set(plan, opening);
      await opening;
    },
    async during(session, plan, load) {
      if (!allowed.has(plan) || !session.server.maria) return load();
      const checking = (on: 0 | 1) => session.run(`SET SESSION check_constraint_checks = ${on}`);
      await checking(0);
      const loaded = await load().catch(async (error: unknown) => {
        // The session may read on, with tables whose checks hold.
        await checking(1).catch(() => undefined);
        throw error;
      });
      await checking(1);
      return loaded;
    },
    async settle(session, plan) {
      const checks = (await allowed.get(plan)) ?? [];
      if (checks.length === 0) return [];
      const { maria } = session.server;
      const counts = checks.map(({ clause }) => `SUM(NOT (${maria ? clause : unescaped(clause)}))`);
      const [found = []] = await session.query(`SELECT ${counts.join(", ")} FROM ${qualified(database, plan.name)}`);
      const rows = checks.map((_, at) => Number(found[at] ?? 0));
      await enforce(
        session,
        plan,
        checks.flatMap(({ name }, at) => (rows[at] === 0 ? [name] : [])),
        "ENFORCED",
      );
      return checks.flatMap(({ name, clause }, at): InventoryEntry[] => {
        const number = rows[at] ?? 0;
        if (number === 0) return [];
        const broken = `${counted(number, "row")} of the source ${number === 1 ? "breaks" : "break"} it`;
        return [
          {
            kind: "check",
            name: `${plan.source.name}.${name}`,
            outcome: maria ? "converted" : "reported",
            note: `${broken}: ${maria ? "new rows must fulfill it" : "it was made NOT ENFORCED"}`,
            definition: `CHECK (${clause})`,
          },
        ];
      });
    },
  };
}
