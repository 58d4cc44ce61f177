import { printable } from "../../../contract/text/printable.ts";
import type { Sequence } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { literal, qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { letGo } from "../../../postgres/source/holding.ts";
import type { Fence } from "../../../run/fence/fence.ts";

const batch = 200;

/**
 * Gives the target's sequences the source's last value and whether it was called. Sequences know no snapshot: they are
 * read after it was taken, so that no number that the copied rows hold is given again.
 */
export async function copySequences(
  source: Session,
  target: Session,
  fence: Fence<Session>,
  wanted: readonly Sequence[],
  /** Given where the target's schema is its own: hears of sequences that are not there. */
  absent?: (message: string) => void,
): Promise<void> {
  const sequences = absent === undefined ? wanted : await present(target, wanted, absent);
  for (let start = 0; start < sequences.length; start += batch) {
    const some = sequences.slice(start, start + batch);
    const reads = some.map(
      ({ schema, name }, at) =>
        `SELECT ${at} AS at, last_value::text AS value, is_called AS called FROM ${qualified(schema, name)}`,
    );
    const values = await source.query<{ at: number; value: string; called: boolean }>(reads.join(" UNION ALL "));
    // Each was locked by being read, and the server's table of locks has no room for all.
    await letGo(source);
    const sets = values.map(({ at, value, called }) => {
      const sequence = some[at] as Sequence;
      return `SELECT pg_catalog.setval(${literal(qualified(sequence.schema, sequence.name))}::pg_catalog.regclass, ${value}, ${called})`;
    });
    await fenced(target, fence, () => target.run(sets.join("; ")));
  }
}

async function present(
  target: Session,
  wanted: readonly Sequence[],
  absent: (message: string) => void,
): Promise<Sequence[]> {
  const there = await target.query<Sequence>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'S'`,
  );
  const keys = new Set(there.map(({ schema, name }) => qualified(schema, name)));
  return wanted.filter(({ schema, name }) => {
    if (keys.has(qualified(schema, name))) return true;
    absent(`sequence ${printable(`${schema}.${name}`)} is not in the target, and its value was not set`);
    return false;
  });
}
