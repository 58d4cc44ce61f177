import { randomUUID } from "node:crypto";
import { BackupError } from "../../backup/contract.ts";
import { manifestName, partEnding } from "../../backup/names.ts";
import { counted, durationText, sizeText } from "../../guard/text.ts";
import type { Parsed } from "../command.ts";
import { openDatabase } from "../databases.ts";
import { placeOf } from "../identity.ts";
import type { CommandContext, CommandResult } from "../io.ts";
import type { Voice } from "../voice.ts";
import { hooksOf } from "./hooks.ts";
import { recipientsOf } from "./keys.ts";
import { warningLines, withCliMessage } from "./messages.ts";
import { type ArchiveLocation, openPlace, refuseKeyInside } from "./place.ts";
import { type BackupModule, openBackups } from "./room.ts";

/** `rowferry backup SOURCE PLACE`: writes the archive that the service writes, and nothing where something is already. */
export async function runBackup(
  parsed: Parsed,
  context: CommandContext,
  voice: Voice,
  engine: { backups(): Promise<BackupModule> },
): Promise<CommandResult> {
  const { words, flags, options } = parsed;
  const { io, redactor, signal } = context;
  const backups = await openBackups(engine);
  const place = openPlace(words[1] ?? "", flags, context, backups);
  refuseKeyInside(flags["make-key"], place);
  const source = await openDatabase("source", parsed, 0, context, voice);
  const began = io.monotonic();
  try {
    await refuseUsed(place, flags["replace-unfinished"] === true, signal);
    const recipients = await recipientsOf(flags, backups, { redactor, now: io.now });
    voice.log("info", `Backing up ${placeOf(source)} into ${place.shown}`);
    const run = randomUUID();
    const { storage, folder } = place;
    const { jobs } = options;
    const checksums = flags.checksums === true;
    const { manifestDigest, serverVersion, ...taken } = await backups.takeBackup({
      ...hooksOf(context, voice),
      ...{ source, storage, folder, run: { id: run }, recipients, jobs, checksums },
    });
    const seconds = Math.round(io.monotonic() - began) / 1000;
    const what = `${counted(taken.tables, "table")} with ${counted(taken.rows, "row")}`;
    return {
      body: {
        ...{ run, place: place.shown, manifest_digest: manifestDigest, ...taken },
        ...{ server_version: serverVersion, recipients, seconds },
      },
      text: `Backed up ${what} in ${durationText(seconds)}: ${sizeText(taken.bytes)}, ${sizeText(taken.stored)} stored in ${place.shown}.
${warningLines("It may not be all of the database", taken.warnings)}Keep the digest of the manifest apart from the backup: a restore with --manifest-digest notices a changed one.
${manifestDigest}
`,
    };
  } catch (error) {
    throw withCliMessage(error);
  }
}

/** What is in PLACE is never removed unasked: it may be somebody's only backup, or no backup at all. */
async function refuseUsed(
  { storage, folder, shown }: ArchiveLocation,
  replace: boolean,
  signal: AbortSignal,
): Promise<void> {
  let parts = 0;
  for await (const { name } of storage.list(`${folder}/`, signal)) {
    if (name === `${folder}/${manifestName}`)
      throw new BackupError("archive_exists", `${shown} already has a complete backup: choose another PLACE`);
    const own = name.slice(folder.length + 1);
    if (own.includes("/") || !own.endsWith(partEnding))
      throw new BackupError(
        "place_not_empty",
        `${shown} has other files, such as ${JSON.stringify(own.slice(0, 100))}: choose a new folder for this backup`,
      );
    parts++;
  }
  if (parts > 0 && !replace)
    throw new BackupError(
      "place_not_empty",
      `${shown} has ${counted(parts, "part")} of a backup that is not finished: choose another PLACE, or, if no other process writes there, add --replace-unfinished`,
    );
}
