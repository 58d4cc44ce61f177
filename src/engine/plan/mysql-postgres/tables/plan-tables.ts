import { EngineError, type InventoryEntry, type MadeObject } from "../../../contract/index.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { readFinished } from "../../../run/fence/finished-marks.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import type { Scheme } from "../columns/column-plan.ts";
import { createObservedTypes, type ObservedTypes } from "../columns/observed-types.ts";
import { readOverrides, refuseMoneyTypes } from "../columns/overrides.ts";
import type { ObservedType } from "../columns/types.ts";
import { type FinishedTable, observedTypesOf } from "../copy/resume.ts";
import { type CopyRun, firstReader } from "../copy/run.ts";
import { readTarget, type TargetDatabase } from "../copy/target.ts";
import { filledNames, plannedNames, takenNames } from "./claims.ts";
import { planDataOnly } from "./data-only-plan.ts";
import { type ExistingTable, readThere } from "./existing-tables.ts";
import { createRemade } from "./plan-cache.ts";
import { type MysqlSource, schemeFor } from "./scheme.ts";
import { planSequences } from "./sequences.ts";
import { planTable, type TablePlan } from "./table-plan.ts";

const nothingObserved: ReadonlyMap<string, ObservedType> = new Map();

/** Every table's plan, before the first write. */
export interface Planned {
  target: Pick<TargetDatabase, "versionText">;
  scheme: Scheme;
  observedTypes: ObservedTypes;
  /** Largest first, so that no long one is left for the end. */
  plans: TablePlan[];
  /** The plan anew, by what the data have taught since. */
  plan(name: string): TablePlan;
  /** What earlier attempts of this owner made. */
  made: MadeObject[];
  /** Tables that they finished. */
  finished: ReadonlyMap<string, FinishedTable>;
  /** What becomes of the source's sequences. */
  sequences: InventoryEntry[];
}

export const planAll = (run: CopyRun): Promise<Planned> => planned(run).catch(giveBack(run.fence));

async function planned(run: CopyRun): Promise<Planned> {
  const { request, hooks, snapshot, catalogue, fence, sessions, schema } = run;
  const { options } = request;
  const { database } = request.source;
  const source = { session: firstReader(snapshot), database, catalogue };
  const rowless = options.content === "schema";
  const observedTypes = createObservedTypes(catalogue.tables, options.zero_dates ?? "null", (message) =>
    hooks.log("info", message),
  );
  const earlier = request.reset ? (request.made ?? []) : [];
  const made = [...earlier, ...(await fence.made())];
  const finished =
    request.reset || rowless ? new Map<string, FinishedTable>() : await readFinished<FinishedTable>(fence);
  for (const [table, mark] of finished) observedTypes.restore(table, observedTypesOf(mark));
  const claimed = await fence.claimedByOthers();
  const { target, scheme, there } = await sessions.use(async (session) => {
    const ours = made.flatMap(({ name: [within, name] }) => (within === schema && name !== undefined ? [name] : []));
    const names = catalogue.tables.map(({ name }) => name);
    const { taken, traits, ...target } = await readTarget(session, schema, ours, names);
    const there = options.content === "data" ? await readThere(session, schema, catalogue.tables) : undefined;
    const forced = await readOverrides(session, database, catalogue.tables, options.types);
    await refuseMoneyTypes(session, forced);
    const used = [...taken, ...takenNames(schema, claimed, names)];
    return { target, there, scheme: schemeFor(source, { options, schema, forced, ...traits }, used) };
  });
  const { plan, sequences } = await planSource(source, scheme, { there, observed: (table) => observedTypes.of(table) });
  // Planned by name, so that a later attempt gives the same names.
  const plans = catalogue.tables.map(({ name }) => plan(name)).sort((a, b) => b.source.dataBytes - a.source.dataBytes);
  const claims =
    options.content === "data" ? filledNames(schema, plans) : plannedNames(scheme, plans, catalogue.others);
  await fence.claim(claims, earlier);
  return { target, scheme, observedTypes, plans, plan, made, finished, sequences };
}

interface Planning {
  /** Of rows alone: the tables that they come into. */
  there?: ReadonlyMap<string, ExistingTable> | undefined;
  /** What the data have taught of a table. */
  observed?: ((table: string) => ReadonlyMap<string, ObservedType>) | undefined;
}

/** The plans of a source's sequences and tables: a copy reads them in its snapshot, an assessment and a verification as they are now. */
export async function planSource(
  { session, catalogue }: MysqlSource,
  scheme: Scheme,
  { there, observed = () => nothingObserved }: Planning,
): Promise<Pick<Planned, "plan" | "sequences">> {
  const sources = new Map<string, SourceTable>(catalogue.tables.map((table) => [table.name, table]));
  const remade = createRemade();
  const plan = (name: string) => {
    const source = sources.get(name);
    if (source === undefined) throw new EngineError("database_error", `table ${name} is not in the catalogue`);
    const target = there?.get(name);
    if (target !== undefined) return remade(() => planDataOnly(scheme, source, target));
    const learnt = observed(name);
    // What is learnt later makes another plan: this one stays as it is.
    return learnt.size > 0
      ? planTable(scheme, source, learnt)
      : remade(() => planTable(scheme, source, nothingObserved));
  };
  // Before the tables, whose defaults may draw from them.
  const sequences = there === undefined ? await planSequences(scheme, session, catalogue.others) : [];
  return { plan, sequences };
}
