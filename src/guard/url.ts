import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import type { Endpoint, TlsMode } from "../engine/contract/index.ts";
import { parseCa } from "./ca.ts";
import { chooseTls, parseBinding, parseMode, type TlsParameters } from "./tls.ts";
import { UrlError } from "./url-error.ts";

export { UrlError };

const engines: Record<string, { engine: Endpoint["engine"]; port: number; scheme: string }> = {
  "mysql:": { engine: "mysql", port: 3306, scheme: "mysql" },
  "mariadb:": { engine: "mysql", port: 3306, scheme: "mariadb" },
  "postgres:": { engine: "postgres", port: 5432, scheme: "postgres" },
  "postgresql:": { engine: "postgres", port: 5432, scheme: "postgresql" },
};

/** Accepted and without effect here: Rowferry sets these itself. */
const harmless: Record<Endpoint["engine"], ReadonlySet<string>> = {
  postgres: new Set(["connect_timeout", "application_name", "client_encoding", "gssencmode", "target_session_attrs"]),
  mysql: new Set(["connect_timeout", "connecttimeout", "charset", "character_set", "timezone"]),
};

/** Refused by name, with the reason: they read files, open sockets, or change what statements mean. */
const refused = new Map(
  Object.entries({
    sslrootcert:
      "a path is never read; give the CA as PEM beside the URL, in options.source_ca or target_ca, or as key ca.crt of its Secret",
    sslcert: "a path is never read, and client certificates are not supported",
    sslkey: "a path is never read, and client certificates are not supported",
    sslcrl: "a path is never read",
    sslcrldir: "a path is never read",
    sslpassword: "client certificates are not supported",
    "ssl-ca":
      "a path is never read; give the CA as PEM beside the URL, in options.source_ca or target_ca, or as key ca.crt of its Secret",
    "ssl-capath": "a path is never read",
    "ssl-cert": "a path is never read, and client certificates are not supported",
    "ssl-key": "a path is never read, and client certificates are not supported",
    passfile: "a file is never read; put the password into the URL",
    service: "a file is never read; write host, port and database into the URL",
    servicefile: "a file is never read; write host, port and database into the URL",
    host: "write the host before the path",
    hostaddr: "write the host before the path",
    port: "write the port after the host",
    user: "write the user before the host",
    password: "write the password before the host",
    dbname: "write the database as the path",
    database: "write the database as the path",
    socket: "sockets are not reached",
    socketpath: "sockets are not reached",
    "unix-socket": "sockets are not reached",
    options: "it would change how the server understands statements",
    multiplestatements: "it would let a name become a statement",
    flags: "it would change the protocol",
    authplugins: "it would choose code to run",
    authswitchhandler: "it would choose code to run",
    infilestreamfactory: "files are never sent",
    allowloadlocalinfile: "files are never sent",
    "local-infile": "files are never sent",
    replication: "a replication connection is not a copy",
    krbsrvname: "Kerberos is not supported",
    requirepeer: "sockets are not reached",
  }),
);

/** Refused too: `sslmode` has the same meaning. */
const replaced = new Set(["ssl", "requiressl"]);

/** Node's and the drivers' limit of a DNS name. */
const longestHost = 253;
const longestUrl = 8192;

function decode(text: string, part: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new UrlError("url_malformed", `the ${part} has a % that begins no valid escape: write a literal % as %25`);
  }
  if (/[\u0000-\u001f\u007f]/.test(decoded)) throw new UrlError("url_malformed", `the ${part} has a control character`);
  return decoded;
}

/** The parameters that choose TLS, by one key for all ways to write each. Errors: UrlError for every other that is not harmless. */
function tlsParameters(engine: Endpoint["engine"], parameters: URLSearchParams): TlsParameters {
  const found: TlsParameters = {};
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    const plain = name.toLowerCase().replace(/^ssl[-_]mode$/, "sslmode");
    if (seen.has(plain)) throw new UrlError("url_parameter_value", `the parameter ${shown(name)} is given twice`);
    seen.add(plain);
    if (plain === "sslmode") found.mode = parseMode(value, shown(name));
    else if (plain === "channel_binding" && engine === "postgres") found.binding = parseBinding(value);
    else if (replaced.has(plain))
      throw new UrlError("url_parameter_refused", `use sslmode=require instead of ${shown(name)}`);
    else if (refused.has(plain))
      throw new UrlError("url_parameter_refused", `the parameter ${shown(name)} is refused: ${refused.get(plain)}`);
    else if (!harmless[engine].has(plain))
      throw new UrlError("url_parameter_unknown", `the parameter ${shown(name)} is unknown: remove it`);
  }
  return found;
}

/** A parameter's name, safe to print: it came from outside. */
const shown = (name: string) => (/^[A-Za-z0-9_.-]{1,40}$/.test(name) ? name : "with a strange name");

function hostOf(url: URL): string {
  const raw = url.hostname;
  if (raw.startsWith("[") && raw.endsWith("]")) return raw.slice(1, -1);
  const host = decode(raw, "host");
  if (host === "") throw new UrlError("url_incomplete", "the host is missing: scheme://user@host:port/database");
  if (host.includes("/") || host.startsWith("@"))
    throw new UrlError("url_parameter_refused", "a socket is not reached: name a host");
  if (host.includes(",")) throw new UrlError("url_malformed", "only one host can be named");
  if (host.length > longestHost || !/^[\p{L}\p{N}._-]+$/u.test(host))
    throw new UrlError("url_malformed", "the host is not a name or an address");
  return /^[ -~]+$/.test(host) ? host : asciiHost(host);
}

/** A name in another script as DNS and certificates have it; digits of another script make no address. */
function asciiHost(host: string): string {
  const ascii = domainToASCII(host);
  if (ascii === "" || isIP(ascii) !== 0)
    throw new UrlError("url_malformed", "the host is not a name or an address: write an address in plain digits");
  return ascii;
}

/**
 * Parses a connection URL, `scheme://user:password@host:port/database?parameters`, into what a driver gets.
 * Only the parameters that choose TLS count; every unknown one is refused by name. `extra.ca` is PEM.
 * With a CA and no `sslmode` the certificate is verified in full: that is what a CA is given for. It counts beside `prefer` and `require` too.
 * `extra.minTls` is the weakest mode allowed.
 *
 * @throws UrlError
 */
export function parseDatabaseUrl(text: string, extra: { ca?: string; minTls?: TlsMode | undefined } = {}): Endpoint {
  const trimmed = text.trim();
  if (trimmed === "") throw new UrlError("url_incomplete", "the connection URL is empty");
  if (trimmed.length > longestUrl)
    throw new UrlError("url_malformed", `the connection URL is longer than ${longestUrl} characters`);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(trimmed)?.[1]?.toLowerCase();
  const kind = scheme === undefined ? undefined : engines[`${scheme}:`];
  if (!kind)
    throw new UrlError(
      "url_scheme",
      "the connection URL does not begin with mysql://, mariadb://, postgres:// or postgresql://",
    );
  if (!/^[^:]+:\/\//.test(trimmed))
    throw new UrlError("url_malformed", `the connection URL must begin with ${kind.scheme}://`);
  if (/[\s\u0000-\u001f]/.test(trimmed))
    throw new UrlError(
      "url_malformed",
      "the connection URL has a space or line break in it: write it as %20 or leave it out",
    );
  const authority = trimmed.slice(trimmed.indexOf("//") + 2).split(/[/?#]/)[0] ?? "";
  if (authority.split("@").length > 2)
    throw new UrlError(
      "url_malformed",
      "there is more than one @ before the path: write one in a user or password as %40",
    );
  if (/^[^[]*,/.test(authority.split("@").at(-1) ?? ""))
    throw new UrlError("url_malformed", "only one host can be named");
  if (trimmed.includes("#"))
    throw new UrlError("url_malformed", "there is a # in the connection URL: write one in a password as %23");
  // URL would resolve them, and another database than the one that was written would be opened.
  if (/\/(\.|%2e){1,2}(?=[/?]|$)/i.test(trimmed.slice(trimmed.indexOf("//") + 2)))
    throw new UrlError("url_malformed", "the path has a . or .. segment: it names one database");
  let url: URL;
  try {
    url = new URL(trimmed);
  } catch {
    throw new UrlError(
      "url_malformed",
      "the connection URL cannot be read: write reserved characters of the user and the password percent-encoded (/ as %2F, ? as %3F, : as %3A), and a port from 1 to 65535",
    );
  }
  const host = hostOf(url);
  const port = url.port === "" ? kind.port : Number(url.port);
  if (port < 1) throw new UrlError("url_malformed", "the port is a number from 1 to 65535");
  const user = decode(url.username, "user");
  if (user === "")
    throw new UrlError("url_incomplete", "the user is missing: scheme://user:password@host:port/database");
  const password = decode(url.password, "password");
  const path = url.pathname.replace(/^\//, "");
  if (path === "") throw new UrlError("url_incomplete", "the database is missing: write it after the host, as /name");
  if (path.includes("/"))
    throw new UrlError("url_malformed", "the path names one database: write a / in its name as %2F");
  const database = decode(path, "database");
  const ca = extra.ca === undefined ? undefined : parseCa(extra.ca).certificates;
  const tls = chooseTls(tlsParameters(kind.engine, url.searchParams), ca, extra.minTls);
  return {
    engine: kind.engine,
    host,
    port,
    user,
    password,
    database,
    tls,
  };
}
