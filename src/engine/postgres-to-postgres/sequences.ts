import type { Fence } from "../fence.ts";
import type { Session } from "../postgres/connection.ts";
import { fenced } from "../postgres/fence.ts";
import { literal, qualified } from "../postgres/names.ts";
import type { Sequence } from "../postgres/source.ts";

const batch = 200;

/**
 * Gives the target's sequences the source's last value and whether it was called. Sequences know no snapshot: they are
 * read after it was taken, so that no number that the copied rows hold is given again.
 */
export async function copySequences(
  source: Session,
  target: Session,
  fence: Fence<Session>,
  sequences: readonly Sequence[],
): Promise<void> {
  for (let start = 0; start < sequences.length; start += batch) {
    const some = sequences.slice(start, start + batch);
    const reads = some.map(
      ({ schema, name }, at) =>
        `SELECT ${at} AS at, last_value::text AS value, is_called AS called FROM ${qualified(schema, name)}`,
    );
    const values = await source.query<{ at: number; value: string; called: boolean }>(reads.join(" UNION ALL "));
    const sets = values.map(({ at, value, called }) => {
      const sequence = some[at] as Sequence;
      return `SELECT pg_catalog.setval(${literal(qualified(sequence.schema, sequence.name))}::pg_catalog.regclass, ${value}, ${called})`;
    });
    await fenced(target, fence, () => target.run(sets.join("; ")));
  }
}
