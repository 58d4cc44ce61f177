import {
  type CopyReport,
  type Endpoint,
  EngineError,
  type MadeObject,
  type StatedPlace,
} from "../engine/contract/index.ts";
import { otherDatabase, type Reset } from "../engine/run/reset.ts";
import { clean } from "../guard/text.ts";
import { canAsk, confirmed, showObjects } from "./ask.ts";
import type { Parsed } from "./command.ts";
import { openDatabase } from "./databases.ts";
import type { CliEngine } from "./engine.ts";
import { UsageError } from "./exit.ts";
import { namedRun, placeOf } from "./identity.ts";
import type { CommandContext, CommandResult } from "./io.ts";
import { readReportFile } from "./report-file.ts";
import type { Voice } from "./voice.ts";

/**
 * `rowferry reset TARGET`: shows what a run made in the target, and drops it when that is confirmed. The run is the only one
 * that the target's `_rowferry` holds, or the one that `--run` names; the list of a completed run is in its report. A script
 * that only names a database drops nothing: `--yes` needs `--run` or `--report`.
 */
export async function runReset(
  parsed: Parsed,
  context: CommandContext,
  voice: Voice,
  engine: Pick<CliEngine, "foundRuns" | "refuseElsewhere" | "reset">,
): Promise<CommandResult> {
  const { flags } = parsed;
  if (flags.run !== undefined && flags.report !== undefined)
    throw new UsageError(
      "--run and --report name two different runs: use --run for an unfinished one, --report for a completed one",
    );
  const [reportFile] = flags.report ?? [];
  const report = reportFile === undefined ? undefined : await readReportFile(reportFile);
  const made = report?.made ?? [];
  const target = await openDatabase("target", parsed, 0, context, voice);
  const madeIn: StatedPlace = { address: report?.target.address, identity: report?.target.identity };
  if (report !== undefined) refuseOther(report, target);
  await engine.refuseElsewhere({ target, made, madeIn }, context.signal);
  const runs = await engine.foundRuns(target, context.signal);
  const only = runs.length === 1 && reportFile === undefined && canAsk(context.io) && flags.yes !== true;
  const run = flags.run === undefined ? (only ? runs[0]?.owner : undefined) : namedRun(flags.run);
  if (runs.length === 0 && reportFile === undefined)
    throw new EngineError(
      "nothing_to_reset",
      "no run is unfinished in the target (it has no table _rowferry); to take back a completed run give its report: --report FILE.json",
    );
  const held = runs.map(({ owner, ownerName, made }) => ({ owner: clean(owner, 100), words: holds(ownerName, made) }));
  if (run === undefined && reportFile === undefined)
    throw new UsageError(
      `nothing was dropped: the target holds ${held.map(({ owner, words }) => `${words}: to drop these add --run ${owner}`).join("; and ")}`,
    );
  // One of a reset by a report that was cut off is there under this name.
  const owner = run ?? "cli-reset";
  const mine = runs.find((one) => one.owner === owner);
  const list = [...made, ...(mine?.made ?? [])];
  if (mine === undefined && reportFile === undefined)
    throw new EngineError(
      "nothing_to_reset",
      `the target's _rowferry has nothing of ${owner}: it holds ${held.map(({ owner, words }) => `${words} (--run ${owner})`).join(" and ")}`,
    );
  const before = `In ${placeOf(target)} the run ${run ?? "of the report"} made ${objects(list.length)}:`;
  const named = list.map(({ kind, name }) => `${kind} ${name.join(".")}`);
  if (flags.yes !== true) showObjects(before, named, [], context.io);
  if (flags.yes !== true && !(await confirmed("Drop them, with all rows?", notDropped, context.io)))
    return { body: { run: owner, dropped: false, objects: list.map(plain) }, text: "Nothing was dropped.\n" };
  const done = await engine.reset(
    { owner, ownerName: `rowferry's reset ${owner}`, target, made, madeIn },
    { signal: context.signal, log: voice.log },
  );
  const left = done.left.map(context.redactor.clean);
  const counts = { dropped: done.dropped, absent: done.absent, left: left.length };
  return {
    body: { run: owner, dropped: done.dropped > 0, counts, objects: list.map(plain), left },
    text: `${formatReset({ ...done, left }, placeOf(target))}\n`,
  };
}

/** Names alone would be found in another database too. Errors: EngineError `other_database`. */
function refuseOther({ target: of, made }: CopyReport, target: Endpoint): void {
  const engine = of.engine === "postgres" ? "postgres" : "mysql";
  if (engine !== target.engine)
    throw new EngineError(
      "other_database",
      `this report is of ${of.engine}, not of ${target.engine}: nothing was dropped`,
    );
  const database = of.database === target.database ? undefined : of.database;
  const other = engine === "mysql" ? otherDatabase(target, made) : database;
  if (other !== undefined)
    throw new EngineError(
      "other_database",
      `this report is of database ${clean(other, 100)}, not ${clean(target.database, 100)}: nothing was dropped`,
    );
}

const notDropped = "nothing was dropped: add --yes to drop these";
const objects = (count: number) => `${count} object${count === 1 ? "" : "s"}`;
const mostWhys = 3;

/** What a reset did, for a person: how many were dropped, were not there, and were left and why. */
function formatReset({ dropped, absent, left }: Reset, place: string): string {
  const said = [
    dropped === 0 ? `Nothing was dropped in ${place}` : `Dropped ${objects(dropped)} that the run made in ${place}`,
  ];
  if (absent > 0)
    said.push(
      `${objects(absent)} of the list ${absent === 1 ? "was" : "were"} gone already: dropped with the table ${absent === 1 ? "it belongs" : "they belong"} to, or before this reset`,
    );
  if (left.length > 0) {
    const more = left.length > mostWhys ? `; and ${left.length - mostWhys} more, as the warnings say` : "";
    said.push(`${objects(left.length)} of the list stayed: ${left.slice(0, mostWhys).join("; ")}${more}`);
  }
  return `${said.join(". ")}.`;
}

const holds = (ownerName: string, made: readonly MadeObject[]) =>
  `${clean(ownerName, 400)}, which made ${objects(made.length)}`;

const plain = ({ kind, name }: MadeObject) => ({ kind, name });
