import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import type { Endpoint, TlsMode } from "../engine/contract/index.ts";
import { type GuardPolicy, judgeAddress } from "./policy.ts";
import { addressRefused } from "./resolve.ts";
import { parseDatabaseUrl, UrlError } from "./url.ts";

/**
 * A URL that came through the API, before anything is dialled: parsed, its host in one form, an address in it judged. Names are
 * judged where they are dialled (dial.ts).
 */
export interface CheckedUrl {
  /** With the guard. */
  endpoint: Endpoint;
  /** The same text for each way to write the same database, user, password and TLS. It holds the password: only for an HMAC. */
  canonical: string;
}

const strictest: GuardPolicy = { allow: [], refuse: [] };

/** Errors: UrlError. Without a policy none but public addresses pass. */
export function checkUserUrl(
  text: string,
  { ca, policy = strictest }: { ca?: string; policy?: GuardPolicy },
): CheckedUrl {
  const parsed = parse(text, ca, policy.minTls);
  refusePlaceholder(parsed);
  const host = asciiHost(parsed.host);
  refuseAddress(host, policy);
  const { engine, port, user, password, database, tls } = parsed;
  return {
    endpoint: { ...parsed, host, guard: policy },
    canonical: JSON.stringify([
      engine,
      host.replace(/\.$/, ""),
      port,
      user,
      password,
      database,
      tls.mode,
      tls.ca?.replace(/\s+/g, "") ?? null,
    ]),
  };
}

function parse(text: string, ca: string | undefined, minTls: TlsMode | undefined): Endpoint {
  try {
    return parseDatabaseUrl(text, { minTls, ...(ca === undefined ? {} : { ca }) });
  } catch (error) {
    // A form that was not filled in: what follows from its brackets would only be in the way.
    if (error instanceof UrlError && /<[a-z _-]+>|\$\{?[A-Z_]+|\{\{|\[(host|user|pass)/i.test(text.slice(0, 8192)))
      throw placeholder("brackets");
    throw error;
  }
}

const placeholder = (by: string) =>
  new UrlError(
    "url_placeholder",
    `the connection URL is a placeholder (its ${by}): replace it with the URL of your database`,
  );

const notOneForm =
  "the host is an address in an unusual form: write it as four decimal numbers, as in 203.0.113.7, or in brackets, as in [2001:db8::7]";

/** As it is asked for in DNS: lower case, Punycode. A number in another form than the usual one is no name. */
export function asciiHost(host: string): string {
  if (isIP(host) !== 0) return host;
  const ascii = domainToASCII(host);
  if (ascii === "") {
    // What ends in a number is an address to a resolver, and none that it understands.
    if (/(^|\.)(0x[0-9a-f]*|\d+)\.?$/i.test(host)) throw new UrlError("url_malformed", notOneForm);
    throw new UrlError("url_malformed", "the host is not a name or an address");
  }
  if (isIP(ascii) !== 0) throw new UrlError("url_malformed", notOneForm);
  if (ascii.split(".").some((label, at, all) => label.length > 63 || (label === "" && at < all.length - 1)))
    throw new UrlError("url_malformed", "the host is not a name: between its dots are 1 to 63 characters");
  return ascii;
}

export function refuseAddress(host: string, policy: GuardPolicy): void {
  const local = /(^|\.)localhost\.?$/.test(host);
  const addresses = local ? ["127.0.0.1"] : isIP(host) === 0 ? [] : [host];
  if (addresses.every((address) => judgeAddress(address, policy).allowed)) return;
  throw new UrlError("url_address_refused", addressRefused("the host"));
}

export const exampleHost = /^(host|hostname|your[-_]?host(name)?|db[-_]?host|(.*\.)?example(\.(com|net|org))?|x+)\.?$/i;
const exampleWord =
  /^(<[a-z _-]+>|\[[a-z _-]+\]|\{+[a-z _-]+\}+|\$\{[a-z_]+\}|\$(db_?)?(user|pass|password|host|database)|\*{2,}|x{3,}|\.{3}|…|your[-_ ]?(user(name)?|pass(word)?|database|db([-_]?name)?))$/i;

/** What documentation shows, and what a model makes up. */
function refusePlaceholder({ host, user, password, database }: Endpoint): void {
  const examples = [
    exampleHost.test(host) ? "host" : "",
    exampleWord.test(user) ? "user" : "",
    exampleWord.test(password) ? "password" : "",
    exampleWord.test(database) ? "database" : "",
    /^(user|username|dbuser)$/i.test(user) && /^(pass|password|passwd|pwd)$/i.test(password) ? "user and password" : "",
  ].filter((part) => part !== "");
  if (examples.length > 0) throw placeholder(examples.join(", "));
}
