import type { Endpoint } from "../engine/contract/index.ts";
import { withPublicCa } from "../engine/run/public-ca.ts";
import type { Redactor } from "../guard/redact.ts";
import { parseDatabaseUrl, UrlError } from "../guard/url.ts";
import type { Parsed } from "./command.ts";
import type { CommandContext } from "./io.ts";
import { findPassword } from "./password.ts";
import type { Voice } from "./voice.ts";

/** A database of the command line, from its URL, its CA and wherever its password is. */
export async function openDatabase(
  role: "source" | "target",
  { url, ca, passwordFile }: { url: string; ca: string | undefined; passwordFile: string | undefined },
  { io, redactor }: CommandContext,
  warn: (message: string) => void,
): Promise<Endpoint> {
  redactUrl(url, redactor);
  const endpoint = parse(role, url, ca);
  const asked = { role, endpoint, inUrl: hasPassword(url), file: passwordFile };
  const password = await findPassword(asked, io, warn);
  redactor.learn(password);
  return withPublicCa({ ...endpoint, password });
}

/** Whether there is a colon after the user, be it before an empty password. What is malformed counts as having one. */
const hasPassword = (url: string): boolean => {
  const authority = /^[^:]+:\/\/([^/?#]*)/.exec(url.trim())?.[1] ?? "";
  return authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")).includes(":") : url.includes("@");
};

/** A URL that holds no password is no secret, and is to be read in what is written. */
export function redactUrl(url: string, redactor: Redactor): void {
  if (hasPassword(url)) redactor.learnUrl(url);
}

/** Source and target of a command that has both. */
export async function openBoth(
  { words, ca, flags }: Parsed,
  context: CommandContext,
  voice: Pick<Voice, "log">,
): Promise<{ source: Endpoint; target: Endpoint }> {
  const warn = (message: string) => voice.log("warning", message);
  const open = (role: "source" | "target", url = "") =>
    openDatabase(role, { url, ca: ca[role], passwordFile: flags[`${role}-password-file`] }, context, warn);
  const source = await open("source", words[0]);
  return { source, target: await open("target", words[1]) };
}

function parse(role: "source" | "target", url: string, ca: string | undefined): Endpoint {
  try {
    return parseDatabaseUrl(url, ca === undefined ? {} : { ca });
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new UrlError(error.code, `the ${role}'s connection URL is not accepted: ${error.message}`);
  }
}
