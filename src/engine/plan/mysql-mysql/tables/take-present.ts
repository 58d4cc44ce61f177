import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { raiseCounter } from "../../../mysql/target/auto-increment.ts";
import { isNamed } from "../../../run/fence/drop-option.ts";
import type { TablePlan } from "./table-plan.ts";

/** Rows alone: a table that is there is emptied where the options say so, and counts on from the source's next number. */

/** Whether there are rows, which may be taken out. Errors: `target_not_empty`. */
export async function isFilled(
  session: Session,
  database: string,
  name: string,
  drop: readonly string[],
): Promise<boolean> {
  const [row] = await session.query(`SELECT 1 FROM ${qualified(database, name)} LIMIT 1`);
  if (row === undefined) return false;
  if (isNamed(drop, database, name)) return true;
  throw new EngineError(
    "target_not_empty",
    `table ${printable(name)} of the target has rows: empty it, or name it in the option drop to have it emptied`,
  );
}

/** Its rows are this run's from here on. Answers what is left to be done, in words. Errors: `target_not_empty`. */
export async function takePresent(
  session: Session,
  fence: MysqlFence,
  database: string,
  { name, translated }: TablePlan,
  drop: readonly string[],
): Promise<string | undefined> {
  // A note tells of digits that were cut, where the column is not one that the copy made.
  await session.run("SET SESSION sql_notes = 1");
  await fence.guard(session);
  await fence.record(session, [{ kind: "rows", name: [database, name] }]);
  if (await isFilled(session, database, name, drop)) {
    await fence.guard(session);
    await session.run(`TRUNCATE TABLE ${qualified(database, name)}`);
  }
  const next = translated.options.find(({ key }) => key === "AUTO_INCREMENT")?.value;
  const left = next === undefined ? undefined : await raiseCounter(session, fence, [database, name], BigInt(next));
  await fence.identify(session);
  return left;
}
