import type { InventoryEntry } from "../../../contract/index.ts";
import { qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { makeRenamed } from "../../../mysql/target/create.ts";

/** MariaDB's sequences, with the value that each would give next; before the tables, whose defaults may ask them. */
export interface Sequence {
  name: string;
  shown: string;
  next: string;
  cycles: string;
}

export async function readSequences(session: Session, database: string, names: readonly string[]): Promise<Sequence[]> {
  const found: Sequence[] = [];
  for (const name of names) {
    const [[, shown] = []] = await session.query(`SHOW CREATE SEQUENCE ${qualified(database, name)}`);
    const [[next, cycles] = []] = await session.query(
      `SELECT next_not_cached_value, cycle_count FROM ${qualified(database, name)}`,
    );
    found.push({ name, shown: shown ?? "", next: next ?? "1", cycles: cycles ?? "0" });
  }
  return found;
}

export async function makeSequences(
  session: Session,
  fence: MysqlFence,
  database: string,
  sequences: readonly Sequence[],
): Promise<InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const { name, shown, next, cycles } of sequences) {
    const base = { kind: "sequence", name };
    if (!session.server.maria) {
      entries.push({
        ...base,
        outcome: "reported",
        note: `MySQL has no sequences; its next value is ${next}`,
        definition: shown,
      });
      continue;
    }
    await makeRenamed(session, fence, "sequence", [database, name], (as) =>
      shown.replace(/^CREATE SEQUENCE `(?:[^`]|``)*`/, () => `CREATE SEQUENCE ${as}`),
    );
    await session.query(`SELECT SETVAL(${qualified(database, name)}, ${next}, 0, ${cycles})`);
    entries.push({ ...base, outcome: "copied" });
  }
  return entries;
}
