import { BackupError } from "../../backup/contract.ts";
import { clean } from "../../guard/text.ts";

/** The backups' errors speak of runs and requests; on the command line there are PLACE and flags. */

const said: readonly (readonly [string, string])[] = [
  ["allow a target that is not empty", "add --allow-not-empty to restore beside them"],
  ["set convert: true in the Restore, or restore it into", "restore it into"],
  ["then copy that database with a migration", "then copy that database with rowferry copy"],
  ["choose another name for this run", "choose another PLACE"],
  ["Restore the run that you want from its own folder", "Name the folder of the backup that you want"],
  ["restore another run", "restore another backup"],
  ["Restore another run", "Restore another backup"],
  ["is not the one that the run wrote", "is not the one of --manifest-digest"],
  ["has no complete run under", "has no complete backup under"],
  ["because the run failed, is not finished", "because the backup failed, is not finished"],
];

/** The same error in the command line's words. */
export function withCliMessage(error: unknown): unknown {
  if (!(error instanceof BackupError)) return error;
  const message = said.reduce((text, [from, to]) => text.replaceAll(from, to), error.message);
  return new BackupError(error.code, message, { retryable: error.retryable, cause: error.cause });
}

const mostWarnings = 20;

/** Warnings for stdout, which may be all that a user keeps; empty without any. */
export function warningLines(title: string, warnings: readonly string[]): string {
  if (warnings.length === 0) return "";
  const shown = warnings.slice(0, mostWarnings).map((line) => `  ${clean(line, 400)}`);
  const more = warnings.length > mostWarnings ? [`  and ${warnings.length - mostWarnings} more (--json)`] : [];
  return `${[`${title}:`, ...shown, ...more].join("\n")}\n`;
}
