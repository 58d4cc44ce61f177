import { decoded } from "../guard/text.ts";
import { type FieldError, Problem } from "../requests/errors.ts";

/** A model that was told no URL likes to make one up: what looks like an example is refused, with words that say so. */

const hosts =
  /^(host(name)?|your[-_]?(host|server|db|database|domain|endpoint)(name)?(\..*)?|my[-_]?(host|server)(name)?|(source|target|db|database|server)[-_]?host(name)?|(.*\.)?example(\.(com|org|net))?|(.*\.)?(invalid|test)|x{3,}|\.{3}|changeme)$/i;
/** The whole of a user or a password, since passwords may hold any mark. */
const marks =
  /^(<.*>|\[.*\]|\{.*\}|\$\w+|\$\{.*\}|\$\(.*\)|\*{3,}|\.{3,}|…|x{3,}|redacted|(my|your)[-_ ]?(user(name)?|pass(word)?|secret))$/i;

/** Reads no further than it must: the guard judges what is a URL at all. */
export function isPlaceholder(url: string): boolean {
  const [, authority = ""] = /^\s*[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  const at = authority.lastIndexOf("@");
  const credentials = at < 0 ? [] : authority.slice(0, at).split(/:(.*)/s);
  const place = authority.slice(at + 1);
  // An address of IPv6 stands in brackets, as do some placeholders.
  const host = place.replace(/:[^:\]]*$/, "").replace(/^\[[0-9a-f.]*:.*\]$/i, "");
  return hosts.test(host) || [...credentials, host].some((part) => marks.test(decoded(part)));
}

/** Throws Problem `url_refused` with each field that holds a placeholder. */
export function refusePlaceholders(urls: Readonly<Record<string, string>>): void {
  const errors: FieldError[] = Object.entries(urls)
    .filter(([, url]) => isPlaceholder(url))
    .map(([field]) => ({
      field,
      message: "is a placeholder, not a database: ask the user for the connection URL and never invent one",
    }));
  if (errors.length > 0)
    throw new Problem("url_refused", `${errors.map(({ field, message }) => `${field} ${message}`).join("; ")}.`, {
      errors,
    });
}
