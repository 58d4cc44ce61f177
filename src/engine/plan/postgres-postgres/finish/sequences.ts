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
  /** Given where the target's schema is its own, whose sequences are never set back: hears what was not set. */
  left?: (message: string) => void,
): Promise<void> {
  const sequences = left === undefined ? wanted : await present(target, wanted, left);
  for (let start = 0; start < sequences.length; start += batch) {
    const some = sequences.slice(start, start + batch);
    const reads = some.map(
      ({ schema, name }, at) =>
        `SELECT ${at} AS at, last_value::text AS value, is_called AS called FROM ${qualified(schema, name)}`,
    );
    const values = await source.query<{ at: number } & Value>(reads.join(" UNION ALL "));
    // Each was locked by being read, and the server's table of locks has no room for all.
    await letGo(source);
    const sets = values.map(({ at, ...value }) => setSequence(some[at] as PresentSequence, value, left));
    await fenced(target, fence, () => target.run(sets.join("; ")));
  }
}

interface Value {
  /** In digits. */
  value: string;
  called: boolean;
}

/** `there`: where rows alone are copied. */
interface PresentSequence extends Sequence {
  there?: { low: string; high: string; step: string; most: string; readable: boolean };
}

function setSequence(
  { schema, name, there }: PresentSequence,
  { value, called }: Value,
  left: (message: string) => void = () => undefined,
): string {
  const set = (last: bigint | string, isCalled: boolean) =>
    `SELECT pg_catalog.setval(${literal(qualified(schema, name))}::pg_catalog.regclass, ${last}, ${isCalled})`;
  if (there === undefined) return set(value, called);
  const [last, step, low, high] = [BigInt(value), BigInt(there.step), BigInt(there.low), BigInt(there.high)] as const;
  const next = called ? last + step : last;
  if (next > BigInt(there.most))
    left(
      `sequence ${printable(`${schema}.${name}`)}: the source's next number ${next} is above the largest that the target's sequence or its column has (${there.most}): an insert without a number fails there until both have a wider type`,
    );
  const fits = last >= low && last <= high;
  const up = step > 0n;
  // Before its first number: nothing was given yet.
  if (!fits && (up ? last < low : last > high)) return "SELECT";
  const [at, isCalled] = fits ? [last, called] : [up ? high : low, true];
  if (!there.readable) return set(at, isCalled);
  return `${set(at, isCalled)} FROM ${qualified(schema, name)} s WHERE (s.last_value, s.is_called) ${up ? "<" : ">"} (${at}::int8, ${up ? isCalled : !isCalled})`;
}

async function present(
  target: Session,
  wanted: readonly Sequence[],
  left: (message: string) => void,
): Promise<PresentSequence[]> {
  const there = await target.query<Sequence & NonNullable<PresentSequence["there"]>>(
    `SELECT n.nspname AS schema, c.relname AS name, q.seqmin::text AS low, q.seqmax::text AS high, q.seqincrement::text AS step,
            pg_catalog.has_sequence_privilege(c.oid, 'SELECT') AS readable,
            LEAST(q.seqmax, (SELECT pg_catalog.min(CASE a.atttypid WHEN 21 THEN 32767 WHEN 23 THEN 2147483647 ELSE q.seqmax END)
               FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
              WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.refclassid = d.classid AND d.deptype IN ('a', 'i')))::text AS most
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_sequence q ON q.seqrelid = c.oid
      WHERE c.relkind = 'S'`,
  );
  const found = new Map(there.map(({ schema, name, ...rest }) => [qualified(schema, name), rest]));
  return wanted.flatMap(({ schema, name }) => {
    const one = found.get(qualified(schema, name));
    if (one !== undefined) return [{ schema, name, there: one }];
    left(`sequence ${printable(`${schema}.${name}`)} is not in the target, and its value was not set`);
    return [];
  });
}
