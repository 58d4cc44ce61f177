import { BackupError, type ObjectThere } from "../../backup/contract.ts";
import { clean, counted, durationText } from "../../guard/text.ts";
import { confirmed, showObjects } from "../ask.ts";
import type { Parsed } from "../command.ts";
import { openDatabase } from "../databases.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { placeOf } from "../identity.ts";
import type { CommandContext, CommandResult } from "../io.ts";
import type { Voice } from "../voice.ts";
import { hooksOf } from "./hooks.ts";
import { identitiesOf } from "./keys.ts";
import { warningLines, withCliMessage } from "./messages.ts";
import { openPlace } from "./place.ts";
import { type BackupModule, openBackups } from "./room.ts";

/** `rowferry restore PLACE TARGET`: checks the archive, restores it, and compares; differences are an answer with exit code 3. */
export async function runRestore(
  parsed: Parsed,
  context: CommandContext,
  voice: Voice,
  engine: { backups(): Promise<BackupModule> },
): Promise<CommandResult> {
  const { words, flags, options } = parsed;
  const { io, redactor } = context;
  const warn = (message: string) => voice.log("warning", message);
  const manifestDigest = digestOf(flags["manifest-digest"]);
  if (flags.yes === true && flags["allow-not-empty"] !== true)
    throw new UsageError("--yes is of a restore into a target that is not empty: it needs --allow-not-empty");
  const backups = await openBackups(engine);
  const place = openPlace(words[0] ?? "", flags, context, backups);
  const identities = await identitiesOf(flags, redactor, warn);
  const target = await openDatabase("target", parsed, 1, context, voice);
  const into = placeOf(target);
  const began = io.monotonic();
  voice.log("info", `Restoring ${place.shown} into ${into}`);
  try {
    const { storage, folder } = place;
    const { jobs } = options;
    const restored = await backups.restoreBackup({
      ...hooksOf(context, voice),
      ...{ storage, folder, identities, target, jobs },
      expect: { manifestDigest },
      allowNotEmpty:
        flags["allow-not-empty"] === true &&
        ((there) => {
          voice.still();
          return refuseUnconfirmed(there, into, flags.yes === true, context);
        }),
    });
    const seconds = Math.round(io.monotonic() - began) / 1000;
    const what = `${counted(restored.tables, "table")} with ${counted(restored.rows, "row")}`;
    const body = { place: place.shown, ...restored, seconds };
    const warnings = `${warningLines("Warnings", restored.warnings)}${warningLines("When the backup was taken", restored.backupWarnings)}`;
    if (restored.equal)
      return {
        body,
        text: `Restored and found equal: ${what} in ${durationText(seconds)}, into ${into}.\n${warnings}`,
      };
    const differences = restored.differences.map((line) => `  ${clean(line, 400)}`).join("\n");
    return {
      body,
      text: `Restored ${what} into ${into}, and it differs from the backup:\n${differences}\n${warnings}`,
      outcome: "different",
      exitCode: exitCodes.different,
    };
  } catch (error) {
    throw withCliMessage(error);
  }
}

function digestOf(text: string | undefined): string | undefined {
  if (text === undefined || /^sha256:[0-9a-f]{64}$/.test(text)) return text;
  throw new UsageError("--manifest-digest is sha256: and 64 hexadecimal digits, as the backup printed it");
}

/** Errors: UsageError where nobody can be asked. */
async function refuseUnconfirmed(
  there: readonly ObjectThere[],
  into: string,
  yes: boolean,
  { io }: CommandContext,
): Promise<void> {
  const own = there.filter(({ kind }) => kind !== "column").map(({ kind, name }) => `${kind} ${name}`);
  showObjects(
    `${into} is not empty. It has ${counted(own.length, "object")}:`,
    own,
    [
      "They stay as they are, and the backup is restored beside them. Nothing is dropped, also if the restore fails half-way.",
    ],
    io,
  );
  const refusal = "nothing was restored: add --yes to restore beside these";
  if (yes || (await confirmed("Restore beside them?", refusal, io))) return;
  throw new BackupError("target_not_empty", "nothing was restored");
}
