import { counted } from "../../../../guard/text.ts";
import { refuseOthersWork } from "../../../postgres/fence/others-work.ts";
import { kind } from "../../../rows/mysql-to-copy/fields.ts";
import { markOf } from "../../../run/fence/finished-marks.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import { verifiedEqual } from "../../../run/verified-tables.ts";
import { formatTable } from "../../../verify/checksum/messages.ts";
import { refuseMysqlMisfits, strayBytes } from "../../fits/mysql-values.ts";
import { looking, writtenAlone } from "../../fits/values.ts";
import { type ChecksumRun, compareValues } from "../finish/checksums.ts";
import type { Planned } from "../tables/plan-tables.ts";
import { doubtsOf, type TablePlan } from "../tables/table-plan.ts";
import { withFallback } from "./create-table.ts";
import { emptyTables } from "./data-only.ts";
import { candidates, dropForeignKeys, type FinishedTable, notOf } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import { makeShared, makeTables, prepareTarget } from "./target.ts";

/** Of the schema's phase, when values were compared with types; tables are made then. */
const valuesCompared = 0.5;

/** What stands in the target before the rows: tables of an earlier attempt that are proven equal, and the others, made anew. */
export interface PreparedTables {
  kept: ReadonlySet<string>;
  copiedAgain: string[];
  /** Words for bytes that stand for no character, in kept tables too. */
  stray: string[];
  /** Words for texts that the target's types write otherwise, in kept tables too. */
  written: string[];
}

export async function prepareTables(run: CopyRun, planned: Planned, comparing: ChecksumRun): Promise<PreparedTables> {
  const { request, hooks, fence, sessions, schema, catalogue, progress } = run;
  const { plans, made, finished, observedTypes } = planned;
  const log = (message: string) => hooks.log("info", message);
  const kept = await keepFinished(run, comparing, candidates(plans, finished, observedTypes.groups));
  const names = new Set(kept.map(({ source }) => source.name));
  const keep = (part: string) => [...names].some((name) => part === markOf(finished.get(name) as FinishedTable));
  const fresh = plans.filter(({ source }) => !names.has(source.name));
  const rowless = request.options.content === "schema";
  const written = rowless ? [] : await refuseUnfit(run, plans, names);
  const stray = rowless ? [] : await strayBytesOf(run, plans);
  await sessions.use(async (session) => {
    if (request.options.content === "data") return emptyTables(run, session, fresh, keep);
    const gone = notOf(kept, made, schema);
    if (!request.reset) await refuseOthersWork(session, fence, gone, { drop: request.options.drop });
    if (kept.length > 0) await dropForeignKeys(session, fence, schema, kept);
    await prepareTarget(session, fence, gone, {
      schema,
      names: plans.flatMap(({ source, name }) => (names.has(source.name) ? [] : [name])),
      drop: request.options.drop,
      keep,
      log,
    });
    await makeShared(session, fence, planned.scheme.shared.values());
    progress.stage(1, fresh.length);
    await makeTables(session, fence, fresh, { create: withFallback(planned), did: progress.did });
    log(`${counted(fresh.length, "table")} created`);
  });
  const sources = new Set(catalogue.tables.map(({ name }) => name));
  const copiedAgain = [...finished.keys()].filter((name) => sources.has(name) && !names.has(name));
  for (const name of names)
    log(`table ${name} was finished by an earlier attempt and is equal to the source: it is kept`);
  for (const name of copiedAgain)
    log(`table ${name} was finished by an earlier attempt, but differs from the source by now: it is copied again`);
  return { kept: names, copiedAgain, stray, written };
}

/** Values that a type which the user named, or one that is there, would cut or round. Errors: `data_refused`. */
const refuseUnfit = (
  { request, snapshot, progress, hooks, fence }: CopyRun,
  plans: readonly TablePlan[],
  kept: ReadonlySet<string>,
): Promise<string[]> =>
  refuseMysqlMisfits(
    snapshot.readers,
    request.source.database,
    plans.map(({ source, copied }) => {
      const doubts = doubtsOf(copied);
      return { source, doubts: kept.has(source.name) ? writtenAlone(doubts) : doubts };
    }),
    { ...looking(progress, valuesCompared), log: (message) => hooks.log("info", message) },
  ).catch(giveBack(fence));

const strayBytesOf = ({ request, snapshot, progress }: CopyRun, plans: readonly TablePlan[]): Promise<string[]> =>
  strayBytes(
    snapshot.readers,
    request.source.database,
    plans.map(({ source, copied, fields }) => ({
      source,
      columns: copied.flatMap((column, at) => (fields[at]?.kind === kind.bytea ? [] : [column.source])),
    })),
    () => progress.touch(),
  );

/** Of tables that an earlier attempt finished, those that are proven equal to the snapshot. */
async function keepFinished(
  { hooks }: CopyRun,
  comparing: ChecksumRun,
  plans: readonly TablePlan[],
): Promise<readonly TablePlan[]> {
  if (plans.length === 0) return [];
  hooks.log("info", `Comparing ${counted(plans.length, "table")} of an earlier attempt with the source`);
  const words = ({ source: { name } }: TablePlan) => formatTable([comparing.scheme.database, name]);
  const proven = await verifiedEqual(plans.map(words), () => compareValues(comparing, plans));
  hooks.signal.throwIfAborted();
  return plans.filter((plan) => proven.has(words(plan)));
}
