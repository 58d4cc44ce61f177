import type { MadeObject } from "../engine/contract.ts";
import { foundRun, reset } from "../engine/reset.ts";
import { clean } from "../guard/words.ts";
import { ask } from "./ask.ts";
import type { Parsed } from "./command.ts";
import { openDatabase } from "./databases.ts";
import { UsageError } from "./exit.ts";
import { namedRun, placeOf } from "./identity.ts";
import { type Context, plainText } from "./io.ts";
import type { Answer } from "./main.ts";
import { readMade } from "./report-file.ts";
import type { Voice } from "./voice.ts";

/**
 * `rowferry reset DST`: shows what a run made in the target, and drops it when that is confirmed. The run is named by `--run`
 * (the target's `_rowferry` has its list), or its list comes from the report of a completed run. Nothing is dropped for
 * somebody who only names a database.
 */
export async function runReset({ words, ca, flags }: Parsed, context: Context, voice: Voice): Promise<Answer> {
  const warn = (message: string) => voice.log("warning", message);
  const [reportFile] = flags.report ?? [];
  const made = reportFile === undefined ? [] : await readMade(reportFile);
  const [url = ""] = words;
  const target = await openDatabase(
    "target",
    { url, ca: ca.target, passwordFile: flags["target-password-file"] },
    context,
    warn,
  );
  const there = await foundRun(target, context.signal);
  const run = flags.run === undefined ? undefined : namedRun(flags.run);
  if (run === undefined && reportFile === undefined)
    throw new UsageError(
      there === undefined
        ? "the target has no table _rowferry, so that no run is unfinished there: give the report of a completed run by --report FILE.json"
        : `the target holds ${clean(there.ownerName, 400)}, which made ${there.made.length} objects: to drop these add --run ${clean(there.owner, 100)}`,
    );
  // One of a reset by a report that was cut off is there under this name.
  const owner = run ?? "cli-reset";
  const mine = there?.owner === owner ? (there?.made ?? []) : [];
  const list = [...made, ...mine];
  if (there !== undefined && there.owner !== owner)
    throw new UsageError(
      `the target's _rowferry is that of ${clean(there.ownerName, 400)}, not of ${owner}: name its run, ${clean(there.owner, 100)}, to reset that one`,
    );
  if (flags.yes !== true && !(await confirmed(list, placeOf(target), context)))
    return { body: { run: run ?? null, dropped: false, objects: list.map(plain) }, text: "Nothing was dropped.\n" };
  const { listed, left } = await reset(
    { owner, ownerName: `rowferry's reset ${owner}`, target, made },
    { signal: context.signal, log: voice.log },
  );
  const kept = left.length === 0 ? "" : ` ${left.length} of them were left, as the warnings say.`;
  return {
    body: { run: owner, dropped: true, objects: list.map(plain), left: left.map(context.redactor.clean) },
    text: `Dropped what the run made in ${placeOf(target)}: ${listed} objects listed.${kept}\n`,
  };
}

const plain = ({ kind, name }: MadeObject) => ({ kind, name });
const mostShown = 40;

/** Errors: UsageError where nobody can be asked. */
async function confirmed(list: readonly MadeObject[], place: string, { io }: Context): Promise<boolean> {
  const lines = list.slice(0, mostShown).map(({ kind, name }) => `  ${clean(`${kind} ${name.join(".")}`, 200)}`);
  const more = list.length > mostShown ? [`  and ${list.length - mostShown} more`] : [];
  const words = [`In ${place} the run made ${list.length} objects:`, ...lines, ...more].join("\n");
  io.stderr.write(`${plainText(words)}\n`);
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new UsageError("nothing was dropped: add --yes to drop these");
  return /^y(es)?$/i.test(await ask("Drop them, with all rows? (yes/no) ", io));
}
