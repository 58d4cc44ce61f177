import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber, isDenied } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { makeRenamed } from "../../../mysql/target/create.ts";
import { isRefusedObject } from "../../../mysql/target/refusal.ts";

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
  content: NonNullable<CopyOptions["content"]>,
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
    if (content === "data") {
      entries.push({ ...base, ...(await raiseSequence(session, fence, [database, name], { next, cycles })) });
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

/** Of a sequence that is there; the server itself never lowers it. */
async function raiseSequence(
  session: Session,
  fence: MysqlFence,
  name: readonly [string, string],
  { next, cycles }: Pick<Sequence, "next" | "cycles">,
): Promise<Pick<InventoryEntry, "outcome" | "note">> {
  try {
    await fence.guard(session);
    await session.query(`SELECT SETVAL(${qualified(...name)}, ${next}, 0, ${cycles})`);
    return { outcome: "copied", note: "its next value, into the sequence that was there" };
  } catch (error) {
    const number = errorNumber(error) ?? 0;
    if (!isRefusedObject(error) && number !== missing && !isDenied(error)) throw error;
    const why = number === missing ? "the target has no sequence of this name" : printable((error as Error).message);
    return { outcome: "reported", note: `its next value ${next} was not set: ${why}` };
  }
}

const missing = 1146;
