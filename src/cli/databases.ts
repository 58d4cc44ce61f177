import type { Endpoint } from "../engine/contract/index.ts";
import { withPublicCa } from "../engine/run/public-ca.ts";
import type { Redactor } from "../guard/redact.ts";
import { parseDatabaseUrl, UrlError } from "../guard/url.ts";
import type { Parsed } from "./command.ts";
import type { CommandContext } from "./io.ts";
import { findPassword } from "./password.ts";
import type { Voice } from "./voice.ts";

/** A database of the command line, from its URL, which is the word `at`, its CA and wherever its password is. */
export async function openDatabase(
  role: "source" | "target",
  { words, ca, flags }: Parsed,
  at: number,
  { io, redactor }: CommandContext,
  voice: Pick<Voice, "log">,
): Promise<Endpoint> {
  const { [at]: url = "" } = words;
  redactUrl(url, redactor);
  const endpoint = parse(role, url, ca[role]);
  const asked = { role, endpoint, inUrl: hasPassword(url), file: flags[`${role}-password-file`] };
  const password = await findPassword(asked, io, (message) => voice.log("warning", message));
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
export async function openBoth(parsed: Parsed, ...using: [CommandContext, Pick<Voice, "log">]) {
  const source = await openDatabase("source", parsed, 0, ...using);
  return { source, target: await openDatabase("target", parsed, 1, ...using) };
}

function parse(role: "source" | "target", url: string, ca: string | undefined): Endpoint {
  try {
    return parseDatabaseUrl(url, ca === undefined ? {} : { ca });
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new UrlError(error.code, `the ${role}'s connection URL is not accepted: ${error.message}`);
  }
}
