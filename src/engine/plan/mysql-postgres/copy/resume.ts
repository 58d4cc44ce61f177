import type { MadeObject } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { digestOf, type FinishedMark } from "../../../run/fence/finished-marks.ts";
import type { ObservedType } from "../columns/types.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/**
 * What an earlier attempt of the same owner has finished. A table is marked in the transaction that finishes it, with the
 * digest of its plan and what its data had taught; it is kept only if the plan is still the same and its values are
 * equal to those of the new snapshot.
 */
export interface FinishedTable extends FinishedMark {
  /** By column. Marks of earlier versions call them `lessons`. */
  observedTypes?: Record<string, ObservedType>;
  lessons?: Record<string, ObservedType>;
  /** What its values had to give up (report.ts). */
  warnings: string[];
  /** How many of them name a column of which values were changed. Marks of earlier versions lack it. */
  changed?: number;
  /** What became known of its indexes and checks. */
  inventory: KnownEntry[];
}

export const observedTypesOf = ({
  lessons = {},
  observedTypes = lessons,
}: FinishedTable): Record<string, ObservedType> => observedTypes;

/** Of all that decides what stands in the target and how its rows were made. */
export const tablePlanDigest = (plan: TablePlan): string =>
  digestOf([
    plan.create,
    plan.select,
    plan.copy,
    plan.fields.map((field) => ({
      ...field,
      zero: typeof field.zero === "object" ? field.zero.text.toString() : field.zero,
    })),
    plan.indexes.map(({ create, constraint, comment, folded, apart }) => [
      create,
      constraint,
      comment,
      folded?.create,
      ...(apart === undefined ? [] : [apart.create]),
    ]),
    plan.checks.map(({ add }) => add),
    // The sequence's next value moves with the source.
    plan.after.filter((sql) => !sql.startsWith("SELECT ")),
  ]);

/** Tables that can be kept together with all whose types are decided with theirs. */
export function candidates(
  plans: readonly TablePlan[],
  finished: ReadonlyMap<string, FinishedTable>,
  groups: readonly (readonly string[])[],
): TablePlan[] {
  const same = new Set(
    plans
      .filter((plan) => finished.get(plan.source.name)?.digest === tablePlanDigest(plan))
      .map(({ source }) => source.name),
  );
  const whole = new Set(groups.filter((group) => group.every((name) => same.has(name))).flat());
  return plans.filter(({ source }) => whole.has(source.name));
}

/** The made objects that belong to none of these tables. */
export function notOf(plans: readonly TablePlan[], made: readonly MadeObject[], schema: string): MadeObject[] {
  const key = ({ kind, name }: MadeObject) => JSON.stringify([kind, name]);
  const kept = new Set(plans.flatMap((plan) => [...plan.made, ...plan.madeAfter].map(key)));
  if (plans.length > 0) kept.add(key({ kind: "schema", name: [schema] }));
  // What tables share stays while one of them does.
  const isShared = ({ kind }: MadeObject) => plans.length > 0 && (kind === "collation" || kind === "sequence");
  return made.filter((object) => !kept.has(key(object)) && !isShared(object));
}

/** Foreign keys of tables that are kept: they are added anew, and they would hold what is dropped. Others' keys stay. */
export async function dropForeignKeys(
  session: Writer,
  fence: Fence<Writer>,
  schema: string,
  plans: readonly TablePlan[],
): Promise<void> {
  const keys = await session.query<{ table: string; name: string }>(
    `SELECT r.relname AS table, c.conname AS name FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
      WHERE c.contype = 'f' AND c.conparentid = 0 AND r.relnamespace = to_regnamespace($1) AND r.relname = ANY($2::text[])
        AND c.xmin::text = ANY($3::text[])`,
    [identifier(schema), plans.map(({ name }) => name), (await fence.transactions?.()) ?? []],
  );
  if (keys.length === 0) return;
  await fenced(session, fence, () =>
    session.run(
      keys
        .map(({ table, name }) => `ALTER TABLE ${qualified(schema, table)} DROP CONSTRAINT ${identifier(name)}`)
        .join("; "),
    ),
  );
}
