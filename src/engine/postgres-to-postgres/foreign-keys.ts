import type { InventoryEntry } from "../contract.ts";
import type { Fence } from "../fence.ts";
import type { Session } from "../postgres/connection.ts";
import { serverWords, sqlState } from "../postgres/errors.ts";
import { fenced } from "../postgres/fence.ts";
import { printable } from "../postgres/names.ts";
import type { Task } from "../postgres/work.ts";
import { failed } from "./apply.ts";
import type { ForeignKey } from "./indexes.ts";

/** Foreign keys stand NOT VALID by now; they are validated table by table. Orphans leave theirs NOT VALID, and are reported. */

export interface ForeignKeyRun {
  fence: Fence<Session>;
  note(entry: InventoryEntry): void;
  warn(message: string): void;
}

export function foreignKeyTasks(run: ForeignKeyRun, keys: readonly ForeignKey[]): Task<{ target: Session }>[] {
  const byTable = new Map<string, ForeignKey[]>();
  for (const key of keys) byTable.set(key.table, [...(byTable.get(key.table) ?? []), key]);
  return [...byTable.values()].map((some) => ({
    weight: some.length,
    async run({ target }) {
      // Together is one transaction; only when an orphan turns up are they told apart.
      if (await validate(run, target, some)) return [];
      for (const key of some) await validate(run, target, [key]);
      return [];
    },
  }));
}

const foreignKeyViolation = "23503";

/** False: some of several keys is violated. */
async function validate(run: ForeignKeyRun, target: Session, keys: readonly ForeignKey[]): Promise<boolean> {
  const [first] = keys;
  if (first === undefined) return true;
  const actions = keys.map(({ constraint }) => `VALIDATE CONSTRAINT ${constraint}`);
  try {
    await fenced(target, run.fence, () => target.run(`ALTER TABLE ${first.table} ${actions.join(", ")}`));
    return true;
  } catch (error) {
    if (sqlState(error) !== foreignKeyViolation) throw failed(target, first.step, error);
    if (keys.length > 1) return false;
    const note = `rows of the source refer to rows that do not exist, so it stands NOT VALID: ${serverWords(error)}`;
    run.note({ kind: "constraint", name: printable(first.step.name), outcome: "reported", note });
    run.warn(`foreign key ${printable(first.step.name)}: ${note}`);
    return true;
  }
}
