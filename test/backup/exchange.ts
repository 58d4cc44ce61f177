import { checkArchive } from "../../src/backup/check.ts";
import { openRecipients } from "../../src/backup/encryption/age.ts";
import { writeManifest } from "../../src/backup/manifest.ts";
import { readPart, writePart } from "../../src/backup/parts.ts";
import { hooks, type Kept } from "./support.ts";

/** Replaces a text in the parts of a complete run, as somebody with its private key could, and completes the run again. */
export async function replaceInParts({ storage, folder, key }: Kept, from: string, to: string): Promise<number> {
  const { signal } = hooks();
  const { manifest, reading } = await checkArchive({ storage, folder, identities: [key.identity], signal });
  const writing = { storage, folder, recipients: openRecipients([key.recipient]), signal, moved: () => undefined };
  let replaced = 0;
  const parts = [];
  for (const part of manifest.parts) {
    const pieces: Buffer[] = [];
    for await (const piece of readPart(reading, part)) pieces.push(Buffer.from(piece));
    const text = Buffer.concat(pieces).toString("latin1");
    replaced += text.split(from).length - 1;
    const bytes = Buffer.from(text.replaceAll(from, to), "latin1");
    const { name, holds } = part;
    const written = await writePart(
      writing,
      { name: name.replace(/\.zst\.age$/, ""), holds },
      (async function* () {
        yield bytes;
      })(),
    );
    parts.push({ ...part, ...written });
  }
  await writeManifest(writing, { ...manifest, parts });
  return replaced;
}
