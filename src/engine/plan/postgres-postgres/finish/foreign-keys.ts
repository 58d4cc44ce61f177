import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { type Task, together } from "../../../run/pool.ts";
import { failed } from "../copy/create-objects.ts";
import type { SchemaPlan } from "../schema/plan.ts";
import type { AfterPlan, ForeignKey } from "./indexes.ts";

/** Foreign keys stand NOT VALID by now; they are validated table by table. Orphans leave theirs NOT VALID, and are reported. */

interface ForeignKeyRun {
  fence: Fence<Session>;
  /** Units of keyUnits were done. */
  did?(units: number): void;
  note(entry: InventoryEntry): void;
  warn(message: string): void;
}

/** What a key costs beside other objects. Bytes of its table, which is read. */
const keyUnits = (bytes: number): number => 1 + bytes / 2 ** 20;

/** What follows the rows, for the progress: an object is one, and so is a key with each MiB of its table. */
export const unitsAfter = (
  after: Pick<AfterPlan, "rest" | "foreignKeys">,
  { steps }: Pick<SchemaPlan, "steps">,
  content: NonNullable<CopyOptions["content"]>,
): number =>
  after.rest.length +
  after.foreignKeys.reduce((sum, { bytes }) => sum + keyUnits(bytes), 0) +
  steps.rights.length +
  (content === "all" ? steps.filling.length : 0) +
  steps.watching.length;

/** Tables of a transaction, and their size together. */
const mostTogether = 25;
const mostBytes = 16 * 1024 * 1024;

export function foreignKeyTasks(
  run: ForeignKeyRun,
  keys: readonly ForeignKey[],
  jobs: number,
): Task<{ target: Session }>[] {
  const tables = [...Map.groupBy(keys, ({ table }) => table).values()];
  const weigh = ([first]: readonly ForeignKey[]) => first?.bytes ?? 0;
  const most = Math.min(mostTogether, Math.ceil(tables.length / (4 * jobs)));
  return together(tables, { weigh, mostWeight: mostBytes, most }).map((group) => ({
    weight: group.reduce((sum, some) => sum + weigh(some), 0),
    async run({ target }) {
      // Together is one transaction and one look at each table; only when an orphan turns up are they told apart.
      if (!(await validate(run, target, group)))
        for (const some of group) {
          if (group.length > 1 && (await validate(run, target, [some]))) continue;
          for (const key of some) await validate(run, target, [[key]]);
        }
      run.did?.(group.flat().reduce((sum, { bytes }) => sum + keyUnits(bytes), 0));
    },
  }));
}

const foreignKeyViolation = "23503";

/** The keys of each table. False: the server refused one of several. */
async function validate(
  run: ForeignKeyRun,
  target: Session,
  tables: readonly (readonly ForeignKey[])[],
): Promise<boolean> {
  const keys = tables.flat();
  const [first] = keys;
  if (first === undefined) return true;
  const statements = tables.map(
    (some) =>
      `ALTER TABLE ${some[0]?.table} ${some.map(({ constraint }) => `VALIDATE CONSTRAINT ${constraint}`).join(", ")}`,
  );
  try {
    await fenced(target, run.fence, () => target.run(statements.join("; ")));
    return true;
  } catch (error) {
    if (keys.length > 1 && sqlState(error) !== undefined) return false;
    if (sqlState(error) !== foreignKeyViolation) throw failed(target, first.step, error);
    const note = `rows of the source refer to rows that do not exist, so it is NOT VALID: ${serverMessage(error)}`;
    run.note({ kind: "constraint", name: printable(first.step.name), outcome: "reported", note });
    run.warn(`foreign key ${printable(first.step.name)}: ${note}`);
    return true;
  }
}
