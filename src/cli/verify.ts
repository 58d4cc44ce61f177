import { cleanReport } from "../engine/report/clean.ts";
import type { VerifyHooks, VerifyReport, VerifyRequest } from "../engine/verify/index.ts";
import { counted, durationText } from "../guard/text.ts";
import type { Parsed } from "./command.ts";
import { openBoth } from "./databases.ts";
import { exitCodes, UsageError } from "./exit.ts";
import { withFlags } from "./flags/messages.ts";
import { placeOf } from "./identity.ts";
import type { CommandContext } from "./io.ts";
import type { CommandResult } from "./main.ts";
import type { Voice } from "./voice.ts";

/** `rowferry verify SRC DST`: compares two databases; differences are an answer with exit code 3. */
export async function runVerify(
  parsed: Parsed,
  context: CommandContext,
  voice: Voice,
  verify: (request: VerifyRequest, hooks: VerifyHooks) => Promise<VerifyReport>,
): Promise<CommandResult> {
  const level = levelOf(parsed.flags.level);
  const { source, target } = await openBoth(parsed, context, voice);
  voice.log("info", `Comparing ${placeOf(source)} with ${placeOf(target)}`);
  const options = { ...parsed.options, verify: level };
  const found = await verify({ source, target, options }, { ...voice, signal: context.signal });
  const report = withFlags(cleanReport(found, context.redactor));
  const different = { outcome: "different", exitCode: exitCodes.different };
  return { body: { report }, text: textOf(report), ...(report.equal ? {} : different) };
}

/** By default the values: a comparison has not just moved them, as a copy has. Errors: UsageError. */
function levelOf(given: string | undefined): "counts" | "checksum" {
  if (given === undefined || given === "checksum" || given === "counts") return given ?? "checksum";
  throw new UsageError("--level is counts or checksum");
}

const number = (value: number) => value.toLocaleString("en-US");
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
      `  ${source} and ${target}: ${differing === undefined ? "" : `${rowsDiffer(differing)}; `}${counted(rows.source, "row")} in the source, ${number(rows.target)} in the target`,
      ...keys.map(({ key, what }) => `    ${what}: ${key}`),
    ]),
    ...named("warnings", warnings),
    ...named("missing in the target", missing),
    ...named("only in the target", extra),
    ...named("columns that could not be compared", verification.uncompared),
    ...named("objects whose texts these servers write differently, to be compared by eye", objects.undecided),
    ...named("not compared, or not by their definition", objects.not_compared),
    ...named("not in the target as in the source, since it cannot be, or by choice", objects.notes),
    ...named(
      "objects that the target lacks or has otherwise",
      lost.map(({ kind, name, note = "" }) => `${kind} ${name}: ${note}`),
    ),
  ];
  return `${lines.map((line) => line.replaceAll("\n", "\\n")).join("\n")}\n`;
}

/** Never a bare "Equal": what was compared, and how. */
function verdict({ verification, tables, objects, equal }: VerifyReport): string {
  const rows = `${counted(verification.rows, "row")} in ${counted(tables.length, "table")}`;
  const what = verification.level === "checksum" ? `the values of ${rows}` : `the numbers of ${rows}`;
  if (!equal) return `Different: compared ${what}, and ${counted(objects.compared, "object")} by ${objects.by}`;
  if (objects.by === "definition")
    return `Equal: ${what}, and the definitions of ${counted(objects.compared - objects.undecided.length, "object")}, with ${objects.notes.length === 0 ? "" : "other "}owners, definers and grants`;
  return `Equal: ${what}, and what a copy makes of ${counted(objects.compared, "object")} (by name, keys and indexes by their columns)`;
}

function named(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > mostNamed ? [`    and ${number(names.length - mostNamed)} more (--json)`] : [];
  return [`  ${number(names.length)} ${what}:`, ...names.slice(0, mostNamed).map((name) => `    ${name}`), ...more];
}
