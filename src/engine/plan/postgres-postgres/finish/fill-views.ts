import type { CopyOptions } from "../../../contract/index.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { type Thing, thingKey } from "../../../postgres/catalogue/inventory.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { filter } from "../../../run/memory/iterators.ts";
import { applySteps, failed, isTolerable, type ObjectTarget } from "../copy/create-objects.ts";
import type { Step } from "../schema/entries.ts";
import type { Notes } from "./account.ts";
import { staleViews } from "./stale-views.ts";

/** Materialised views after the rows: filled by their queries, and reported where their rows are not the source's. */

const kind = "materialized view";

interface Filling {
  source: Session;
  schema: ObjectTarget;
  fence: Fence<Session>;
  content: NonNullable<CopyOptions["content"]>;
  said: Notes;
  plan: { steps: { filling: Iterable<Step> }; wanted: Iterable<Thing> };
}

export async function fillViews(filling: Filling): Promise<void> {
  const { source, schema, content, said, plan } = filling;
  if (content === "schema") return;
  const left = content === "data" ? await fillEmpty(filling) : undefined;
  if (content === "all") await applySteps(schema, plan.steps.filling);
  const compared = filter(plan.wanted, (thing) => left?.unfilled.has(thing.name) !== true);
  for (const { name, note } of await staleViews(source, schema.session, compared, left?.others)) {
    said.note({ kind, name, outcome: "reported", note });
    said.warn(thingKey({ kind, name: `${name}: ${note}` }));
  }
}

interface Left {
  /** Those that the target refused to fill. */
  unfilled: Set<string>;
  /** Those that were filled by others. */
  others: Set<string>;
}

const markOf = (name: string) => `filled:${name}`;

/** Rows alone: fills the views that hold no rows, and those that an earlier attempt of this run has filled. */
async function fillEmpty({ schema, fence, said, plan }: Filling): Promise<Left> {
  const { session: target } = schema;
  const there = await target.query<{ schema: string; name: string; filled: boolean }>(
    `SELECT n.nspname AS schema, c.relname AS name, c.relispopulated AS filled FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'm'`,
  );
  const views = new Map(there.map((view) => [fullName(view.schema, view.name), view]));
  const marks = new Set((await fence.parts()).map(({ part }) => part));
  const left: Left = { unfilled: new Set(), others: new Set() };
  for (const step of plan.steps.filling) {
    const view = views.get(step.name);
    if (view === undefined) continue;
    const name = printable(step.name);
    if (view.filled && !marks.has(markOf(step.name)) && (await hasRows(target, view))) {
      left.others.add(step.name);
      continue;
    }
    try {
      await fenced(target, fence, async () => {
        await target.run(step.entry.create);
        await fence.partDone(target, markOf(step.name), 0);
      });
      said.note({ kind, name, outcome: "copied", note: "filled by its query in the target" });
    } catch (error) {
      if (!isTolerable(step, error)) throw failed(target, { kind, name: step.name }, error);
      left.unfilled.add(step.name);
      const note = `not filled in the target (${serverMessage(error)}): run ${step.entry.create.trim().replace(/;$/, "")} there`;
      said.note({ kind, name, outcome: "reported", note: printable(note) });
      said.warn(`${kind} ${name} is ${printable(note)}`);
    }
  }
  return left;
}

/** True also where they may not be read. */
async function hasRows(target: Session, { schema, name }: { schema: string; name: string }): Promise<boolean> {
  try {
    return (await target.query(`SELECT FROM ${qualified(schema, name)} LIMIT 1`)).length > 0;
  } catch (error) {
    if (sqlState(error) !== "42501") throw error;
    return true;
  }
}
