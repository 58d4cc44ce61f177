import { runCodeGroups } from "../../src/engine/contract/codes/index.ts";
import type { RunCodeEntry } from "../../src/engine/contract/codes/types.ts";
import { code, generatedFrom } from "./table.ts";

const retried = {
  yes: "Retried: yes, another pod tries by itself.",
  no: "Retried: no.",
  depends: "Retried: as the message's cause allows.",
} as const satisfies Record<NonNullable<RunCodeEntry["retryable"]> | "no", string>;

function entryText([name, { retryable, means, fix, formerly }]: [string, RunCodeEntry]): string {
  const earlier = formerly === undefined ? "" : `\nEarlier versions report it as ${formerly.map(code).join(", ")}.\n`;
  return `### ${name}\n\n${means}.\n\n${fix}. ${retried[retryable ?? "no"]}\n${earlier}`;
}

/** docs/run-errors.md */
export function runErrorsPage(): string {
  const groups = Object.entries(runCodeGroups).map(
    ([title, entries]) => `## ${title}\n\n${Object.entries(entries).map(entryText).join("\n")}`,
  );
  return `${generatedFrom("src/engine/contract/codes")}

# Run errors

Every code that a run of the engine can end with, and how to fix it. For users of the API, \`kubectl\` and the command line.

The API and \`kubectl\` show the code as the reason of the condition \`Failed\`: \`target_not_empty\` reads \`TargetNotEmpty\`. The
command line prints it, and \`--json\` shows it as \`code\`. The message names the table, object, option or setting. Blockers of
an assessment have the same codes. A code never changes its meaning.

On the command line, an option such as \`options.jobs\` is the flag \`--jobs\`. To retry, run the same command again; to
reset, use \`rowferry reset\`. Two codes exist only there:

- \`usage\`: a word or a flag of the command line is invalid or missing. Nothing was changed (exit code 2).
- \`interrupted\`: Ctrl-C or another signal stopped the command. Run the same command again.

Codes that begin with \`url_\` mean that a connection URL is not accepted: see [URL security](url-security.md). Codes of
backups are in [operations](operations.md#conditions-of-backups).

${groups.join("\n")}`;
}
