import type { Session } from "../../../postgres/driver/connection.ts";
import { countedKind } from "../../../report/not-copied.ts";
import { TargetNotEmptyError } from "../../../run/fence/drop-option.ts";

/** Large objects as a report names them, and as two databases share their oids: none of it holds all of them. */

/** More are one entry with their number. */
const mostNamed = 20;
const perPage = 10_000;
/** Of those that an error names. */
const enough = 11;

interface LargeObjectName {
  kind: "large object";
  name: string;
}

const named = (oid: number | string): LargeObjectName => ({ kind: "large object", name: String(oid) });

export async function largeObjectNames(session: Session): Promise<LargeObjectName[]> {
  const [row] = await session.query<{ total: number; few: number[] }>(
    `SELECT (SELECT pg_catalog.count(*) FROM pg_catalog.pg_largeobject_metadata) AS total,
            (SELECT COALESCE(pg_catalog.json_agg(m.oid::int8), '[]') FROM (SELECT oid FROM pg_catalog.pg_largeobject_metadata ORDER BY oid LIMIT ${mostNamed}) m) AS few`,
  );
  const { total = 0, few = [] } = row ?? {};
  return total > mostNamed ? [named(`all ${total}`)] : few.map(named);
}

/** The warning for all of them. */
export function largeObjectsLeft(names: readonly LargeObjectName[]): string {
  const count = Number(/^all (\d+)$/.exec(names[0]?.name ?? "")?.[1] ?? names.length);
  return `${countedKind(count, "large object")} of the source ${count === 1 ? "is" : "are"} not copied: content: data copies only the rows of tables`;
}

/** The first of the source's that the target has, or has not. */
export async function largeObjectsThere(source: Session, target: Session, there: boolean): Promise<LargeObjectName[]> {
  const found: LargeObjectName[] = [];
  for (let after = 0; found.length < enough; ) {
    const page = await source.query<{ oid: number }>(
      `SELECT m.oid::int8 AS oid FROM pg_catalog.pg_largeobject_metadata m WHERE m.oid > $1::oid ORDER BY m.oid LIMIT ${perPage}`,
      [after],
    );
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.oid;
    const rows = await target.query<{ oid: number }>(
      "SELECT m.oid::int8 AS oid FROM pg_catalog.pg_largeobject_metadata m WHERE m.oid = ANY ($1::pg_catalog.oid[])",
      [page.map(({ oid }) => oid)],
    );
    const known = new Set(rows.map(({ oid }) => oid));
    found.push(...page.flatMap(({ oid }) => (known.has(oid) === there ? [named(oid)] : [])));
  }
  return found.slice(0, enough);
}

/** Errors: `target_not_empty`. */
export async function refuseLargeObjects(source: Session, target: Session): Promise<void> {
  const taken = await largeObjectsThere(source, target, true);
  if (taken.length > 0) throw new TargetNotEmptyError(taken.map(({ kind, name }) => `${kind} ${name}`));
}
