import { BackupError, type ObjectThere } from "../../backup/contract.ts";
import { clean, counted, durationText } from "../../guard/text.ts";
import { ask } from "../ask.ts";
import type { Parsed } from "../command.ts";
import { openDatabase } from "../databases.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { placeOf } from "../identity.ts";
import { type CommandContext, plainText } from "../io.ts";
import type { CommandResult } from "../main.ts";
import type { Voice } from "../voice.ts";
import { hooksOf } from "./hooks.ts";
import { identitiesOf } from "./keys.ts";
import { warningLines, withCliMessage } from "./messages.ts";
import { openPlace } from "./place.ts";
import { type BackupModule, openBackups } from "./room.ts";

/** `rowferry restore PLACE TARGET`: checks the archive, restores it, and compares; differences are an answer with exit code 3. */
export async function runRestore(
  { words, ca, flags, options }: Parsed,
  context: CommandContext,
  voice: Voice,
  engine: { backups(): Promise<BackupModule> },
): Promise<CommandResult> {
  const { io, redactor } = context;
  const warn = (message: string) => voice.log("warning", message);
  const manifestDigest = digestOf(flags["manifest-digest"]);
  if (flags.yes === true && flags["allow-not-empty"] !== true)
    throw new UsageError("--yes is of a restore into a target that is not empty: it needs --allow-not-empty");
  const backups = await openBackups(engine);
  const place = openPlace(words[0] ?? "", flags, context, backups);
  const identities = await identitiesOf(flags, redactor, warn);
  const target = await openDatabase(
    "target",
    { url: words[1] ?? "", ca: ca.target, passwordFile: flags["target-password-file"] },
    context,
    warn,
  );
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
          return confirmed(there, into, flags.yes === true, context);
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

const mostShown = 40;

/** Errors: UsageError where nobody can be asked. */
async function confirmed(
  there: readonly ObjectThere[],
  into: string,
  yes: boolean,
  { io }: CommandContext,
): Promise<void> {
  const own = there.filter(({ kind }) => kind !== "column");
  const lines = own.slice(0, mostShown).map(({ kind, name }) => `  ${clean(`${kind} ${name}`, 200)}`);
  const more = own.length > mostShown ? [`  and ${own.length - mostShown} more`] : [];
  const words = [
    `${into} is not empty. It has ${counted(own.length, "object")}:`,
    ...lines,
    ...more,
    "They stay as they are, and the backup is restored beside them. Nothing is dropped, also if the restore fails half-way.",
  ];
  io.stderr.write(`${plainText(words.join("\n"))}\n`);
  if (yes) return;
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new UsageError("nothing was restored: add --yes to restore beside these");
  if (/^y(es)?$/i.test(await ask("Restore beside them? (yes/no) ", io))) return;
  throw new BackupError("target_not_empty", "nothing was restored");
}
