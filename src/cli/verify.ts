import { cleanReport } from "../engine/report/clean.ts";
import type { VerifyHooks, VerifyReport, VerifyRequest } from "../engine/verify/index.ts";
import { counted, durationText, numberText } from "../guard/text.ts";
import type { Parsed } from "./command.ts";
import { openBoth } from "./databases.ts";
import { exitCodes, UsageError } from "./exit.ts";
import { withFlags } from "./flags/messages.ts";
import { placeOf } from "./identity.ts";
import type { CommandContext, CommandResult } from "./io.ts";
import type { Voice } from "./voice.ts";

/** `rowferry verify SRC DST`: compares two databases; differences are an answer with exit code 3. */
export async function runVerify(
  parsed: Parsed,
  context: CommandContext,
  voice: Voice,
  { verify }: { verify(request: VerifyRequest, hooks: VerifyHooks): Promise<VerifyReport> },
): Promise<CommandResult> {
  const level = levelOf(parsed.flags.level);
  const { source, target } = await openBoth(parsed, context, voice);
  voice.log("info", `Comparing ${placeOf(source)} with ${placeOf(target)}`);
  const options = { ...parsed.options, verify: level };
  // Each difference is in the answer too: on a terminal both arrive together.
  const log: VerifyHooks["log"] = (kind, message) =>
    void (kind === "warning" && parsed.progress !== "json" ? undefined : voice.log(kind, message));
  const found = await verify({ source, target, options }, { ...voice, log, signal: context.signal });
  const report = withFlags(cleanReport(found, context.redactor));
  const different = { outcome: "different", exitCode: exitCodes.different };
  return { body: { report }, text: textOf(report), ...(report.equal ? {} : different) };
}

/** By default the values: a comparison has not just moved them, as a copy has. Errors: UsageError. */
function levelOf(given: string | undefined): "counts" | "checksum" {
  if (given === undefined || given === "checksum" || given === "counts") return given ?? "checksum";
  throw new UsageError(`--level is counts or checksum, not ${JSON.stringify(given)}`);
}

const rowsDiffer = (count: number) => `${counted(count, "row")} ${count === 1 ? "differs" : "differ"}`;
const mostNamed = 20;

function textOf(report: VerifyReport): string {
  const { verification, missing, extra, inventory, objects, warnings } = report;
  const seconds = (Date.parse(report.finished_at) - Date.parse(report.started_at)) / 1000;
  const said = new Set(missing);
  const lost = inventory.filter(({ outcome, name }) => outcome === "reported" && !said.has(name));
  const lines = [
    `${verdict(report)} (in ${durationText(seconds)}).`,
    ...verification.differences.flatMap(({ source, target, rows, keys, differing }) => [
      `  ${source} and ${target}: ${differing === undefined ? "" : `${rowsDiffer(differing)}; `}${counted(rows.source, "row")} in the source, ${numberText(rows.target)} in the target`,
      ...keys.map(({ key, what }) => `    ${what}: ${key}`),
    ]),
    ...named("warnings", warnings),
    ...named("missing in the target", missing),
    ...named("only in the target", extra),
    ...named("columns that could not be compared", verification.uncompared),
    ...named("objects that the two servers write differently: compare their definitions yourself", objects.undecided),
    ...named("kinds of objects compared by name only, or not at all", objects.not_compared),
    ...named("expected differences, which a copy makes too", objects.notes),
    ...named(
      "objects that are missing in the target or have another definition",
      lost.map(({ kind, name, note = "" }) => `${kind} ${name}: ${note}`),
    ),
  ];
  return `${lines.map((line) => line.replaceAll("\n", "\\n")).join("\n")}\n`;
}

/** Never a bare "Equal": what was compared, and how. */
function verdict({ verification, tables, objects, equal }: VerifyReport): string {
  const rows = `${counted(verification.rows, "row")} in ${counted(tables.length, "table")}`;
  const values = verification.level === "checksum";
  const what = values
    ? `the values of ${rows}`
    : `the row counts of ${counted(tables.length, "table")} (${counted(verification.rows, "row")})`;
  if (!equal) return `Different: compared ${what}, and ${counted(objects.compared, "object")} by ${objects.by}`;
  if (objects.by === "definition")
    return `Equal: ${what}, and ${counted(objects.compared - objects.undecided.length, "object")} by definition, owner and grants${objects.notes.length === 0 ? "" : " except those below"}`;
  return `Equal: ${what}, and ${counted(objects.compared, "object")} by name (keys and indexes by their columns)`;
}

function named(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > mostNamed ? [`    and ${numberText(names.length - mostNamed)} more (--json)`] : [];
  const heading = names.length === 1 ? what.replace(/^(warning|kind|column|expected difference)s\b/, "$1") : what;
  return [
    `  ${numberText(names.length)} ${heading}:`,
    ...names.slice(0, mostNamed).map((name) => `    ${name}`),
    ...more,
  ];
}
