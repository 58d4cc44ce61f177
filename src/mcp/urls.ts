import { plain } from "./plain.ts";

/**
 * No URL leaves in an answer's words, whoever wrote it. A password may hold any mark: a URL goes to the next blank, and nothing that shows
 * nothing may stand in its scheme. The length of a scheme is bounded, so that a long text takes no longer than its length.
 */
const url = /[a-z0-9+.-]{1,30}:\/\/\S+/gi;

/** The name of a scheme alone, and the form of a URL as our own words show it; what ends a sentence may follow. */
const harmless = /^[a-z0-9+.-]+:\/\/(user:password@host:port\/database)?["'`<>)\]},.;:!?]*$/i;

export const withoutUrls = (words: string): string =>
  words
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(url, (found) => (harmless.test(found) ? found : "[URL]"));

/** Characters of a text in an error of JSON-RPC, where the protocol's library quotes what was sent. */
const longest = 600;

/** A JSON-RPC answer that tells an error, which may quote the message; the id is the caller's, and goes back as it came. */
export function withoutUrlsInError(text: string): string {
  const answer: unknown = text === "" ? undefined : JSON.parse(text);
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return text;
  const replaced = JSON.stringify(answer.error, (_name, value: unknown) =>
    typeof value === "string" ? plain(withoutUrls(value.slice(0, 2 * longest)), longest) : value,
  );
  return JSON.stringify({ ...answer, error: JSON.parse(replaced) as unknown });
}
