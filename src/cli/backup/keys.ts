import { readFile, stat, writeFile } from "node:fs/promises";
import type { Redactor } from "../../guard/redact.ts";
import type { Parsed } from "../command.ts";
import { fileMessage, UsageError } from "../exit.ts";
import type { BackupModule } from "./room.ts";

/** age keys of the command line: public ones to encrypt for, and files with private ones to open with. */

const isPrivate = (line: string) => /^AGE-SECRET-KEY-/i.test(line);

/** Public keys. `make-key` writes its file here. Errors: UsageError. */
export async function recipientsOf(
  flags: Parsed["flags"],
  { generateKey, recipientOf }: Pick<BackupModule, "generateKey" | "recipientOf">,
  { redactor, now }: { redactor: Redactor; now: () => Date },
): Promise<string[]> {
  const given = flags.recipient ?? [];
  for (const key of given) if (isPrivate(key)) redactor.learn(key);
  const found = [...given];
  for (const path of flags["recipients-file"] ?? []) {
    const lines = await linesOf(path, "recipients-file");
    for (const line of lines) found.push(isPrivate(line) ? await publicOf(line, path, recipientOf) : line);
    if (lines.length === 0) throw new UsageError(`the file ${path} of --recipients-file has no key`);
  }
  const path = flags["make-key"];
  if (path !== undefined) {
    const { identity, recipient } = await generateKey();
    redactor.learn(identity);
    await keep(path, `# created: ${now().toISOString()}\n# public key: ${recipient}\n${identity}\n`);
    found.push(recipient);
  }
  if (found.length > 0) return [...new Set(found)];
  throw new UsageError(
    "a backup is encrypted: name a public key by --recipient age1…, a key file by --recipients-file FILE, or make one by --make-key FILE",
  );
}

async function publicOf(identity: string, path: string, recipientOf: BackupModule["recipientOf"]): Promise<string> {
  try {
    return await recipientOf(identity.toUpperCase());
  } catch {
    throw new UsageError(`the file ${path} of --recipients-file has a private key that age did not make`);
  }
}

/** An older key is never overwritten: it may be the only one that opens a backup. */
async function keep(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new UsageError(
        `the file ${path} of --make-key exists: to encrypt for its key use --recipients-file ${path}`,
      );
    throw new UsageError(`the file ${path} of --make-key cannot be written: ${fileMessage(error)}`);
  }
}

/** Private keys. `warn` hears of files that others may read. Errors: UsageError. */
export async function identitiesOf(
  flags: Parsed["flags"],
  redactor: Redactor,
  warn: (message: string) => void,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of flags.identity ?? []) {
    const lines = await linesOf(path, "identity");
    for (const line of lines) redactor.learn(line);
    if (!lines.some(isPrivate))
      throw new UsageError(
        `the file ${path} of --identity has no age private key (AGE-SECRET-KEY-1…): name the file that age-keygen or --make-key wrote`,
      );
    if (process.platform !== "win32" && ((await stat(path)).mode & 0o077) !== 0)
      warn(`Others may read the file ${path} of --identity: chmod 600 it`);
    found.push(...lines);
  }
  if (found.length > 0) return found;
  throw new UsageError("a backup is encrypted: name the file with its private key by --identity FILE");
}

/** As age reads them: comments begin with #. */
async function linesOf(path: string, flag: string): Promise<string[]> {
  try {
    const lines = (await readFile(path, "utf8")).split(/\r?\n/).map((line) => line.trim());
    return lines.filter((line) => line !== "" && !line.startsWith("#"));
  } catch (error) {
    throw new UsageError(`the file ${path} of --${flag} cannot be read: ${fileMessage(error)}`);
  }
}
