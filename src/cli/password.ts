import { readFile, stat } from "node:fs/promises";
import type { Endpoint } from "../engine/contract/index.ts";
import { ask, canAsk } from "./ask.ts";
import { fileMessage, UsageError } from "./exit.ts";
import type { Io } from "./io.ts";

/** Where a password comes from: the URL, a file, the environment, or a person at the terminal. One of them. */

interface Asked {
  role: "source" | "target";
  endpoint: Endpoint;
  /** Whether the URL had a colon after the user, be it before an empty password. */
  inUrl: boolean;
  file: string | undefined;
}

/** `warn` hears of ways that let others see it. Errors: UsageError; Interrupted at Ctrl-C in the prompt. */
export async function findPassword(
  { role, endpoint, inUrl, file }: Asked,
  io: Io,
  warn: (message: string) => void,
): Promise<string> {
  const flag = `--${role}-password-file`;
  if (file !== undefined) {
    if (inUrl) throw new UsageError(`the ${role}'s password is given twice: in the URL and by ${flag}`);
    return readPassword(file, flag, warn);
  }
  const variable = `ROWFERRY_${role.toUpperCase()}_PASSWORD`;
  if (inUrl) {
    if (endpoint.password !== "")
      warn(
        `The ${role}'s password is in the command line, where every user of this machine can see it. Remove it from the URL and set ${variable}, use ${flag}, or type it at the prompt.`,
      );
    return endpoint.password;
  }
  const known = io.env[variable] ?? io.env[endpoint.engine === "mysql" ? "MYSQL_PWD" : "PGPASSWORD"];
  if (known !== undefined) return known;
  if (!canAsk(io)) return "";
  return ask(`Password of ${endpoint.user} at ${endpoint.host}:${endpoint.port} (${role}): `, io, { hidden: true });
}

async function readPassword(path: string, flag: string, warn: (message: string) => void): Promise<string> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) warn(`Others may read the file of ${flag}: chmod 600 it`);
    return (await readFile(path, "utf8")).replace(/\r?\n$/, "");
  } catch (error) {
    throw new UsageError(`the file ${path} of ${flag} cannot be read: ${fileMessage(error)}`);
  }
}
