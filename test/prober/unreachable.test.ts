import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { borrowDatabase } from "../servers/index.ts";
import { type RunningProber, startProber } from "./prober.ts";
import { startRogue } from "./rogue.ts";

/** Why a database cannot be asked, told by side, code and words with a fix; and that a planted password is in none of them. */

let prober: RunningProber;
let guarded: RunningProber;
let mysql: Database;
let postgres: Database;
let plain: Database;
const options = optionsSchema.parse({});
const secret = "pl@nt'ed word/1";

beforeAll(async () => {
  [prober, guarded, mysql, postgres, plain] = await Promise.all([
    startProber({ ROWFERRY_GUARD_ALLOW: "127.0.0.1/32", ROWFERRY_PROBER_TEST_SECONDS: "6" }),
    startProber(),
    borrowDatabase("mysql"),
    borrowDatabase("postgres"),
    borrowDatabase("postgres", { args: ["-c", "ssl=off"] }),
  ]);
});
afterAll(async () => {
  await Promise.all([prober, guarded].map((one) => one?.stop()));
  await Promise.all([mysql, postgres, plain].map((database) => database?.stop()));
});

/** The URL with another part; the planted password in it unless it is to be right. */
function other(url: string, change: (url: URL) => void, password = encodeURIComponent(secret)): string {
  const changed = new URL(url);
  changed.password = password;
  change(changed);
  return changed.href;
}

const cases: [name: string, url: () => string, code: string, words: RegExp][] = [
  ["a wrong password for MySQL", () => other(mysql.url, () => undefined), "access_denied", /check user/],
  ["a wrong password for PostgreSQL", () => other(postgres.url, () => undefined), "access_denied", /check user/],
  [
    "a database that is not there, in MySQL",
    () => other(mysql.adminUrl, (url) => Object.assign(url, { pathname: "/none" }), mysql.password),
    "database_not_found",
    /create it or correct/,
  ],
  [
    "a database that is not there, in PostgreSQL",
    () => other(postgres.url, (url) => Object.assign(url, { pathname: "/none" }), postgres.password),
    "database_not_found",
    /create it or correct/,
  ],
  [
    "a certificate that no known CA signed",
    () => other(postgres.url, (url) => url.searchParams.set("sslmode", "verify-full")),
    "tls_failed",
    /TLS/,
  ],
  [
    "TLS that the server does not have",
    () => other(plain.url, (url) => url.searchParams.set("sslmode", "require")),
    "tls_failed",
    /sslmode=prefer/,
  ],
  [
    "PostgreSQL on a mysql:// URL",
    () => `mysql://app:${encodeURIComponent(secret)}@127.0.0.1:${postgres.port}/app`,
    "connection_timeout",
    /If it is PostgreSQL, use postgresql:/,
  ],
  [
    "MySQL on a postgres:// URL",
    () => `postgres://app:${encodeURIComponent(secret)}@127.0.0.1:${mysql.port}/app`,
    "protocol_error",
    /If it is MySQL or MariaDB, use mysql:/,
  ],
  [
    "a port on which nothing listens",
    () => `mysql://app:${encodeURIComponent(secret)}@127.0.0.1:1/app`,
    "connection_refused",
    /check host and port/,
  ],
  [
    "a name that is not known",
    () => `mysql://app:${encodeURIComponent(secret)}@no-such-host.invalid/app`,
    "host_not_found",
    /check the name/,
  ],
  [
    "an address that is refused",
    () => `postgres://app:${encodeURIComponent(secret)}@10.1.2.3/app`,
    "address_refused",
    /address/,
  ],
  [
    "a parameter that is refused",
    () => `postgres://app:${encodeURIComponent(secret)}@127.0.0.1/app?passfile=/etc/passwd`,
    "url_parameter_refused",
    /passfile/,
  ],
];

const parts = () => [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64"), secret.slice(0, 8)];

test.each(cases)("%s is told by its code, with the fix, and without the password", async (_, url, code, words) => {
  const answer = await prober.client.test({ url: url() });
  expect(answer).toEqual({ unreachable: [{ side: "source", code, message: expect.stringMatching(words) }] });
  // The servers name who connected: of us the address is not told.
  expect(JSON.stringify(answer)).not.toMatch(/@'(?:\d|::)|for host \\"/);
  for (const part of parts()) expect(JSON.stringify(answer)).not.toContain(part);
});

test("of a preflight both sides are told at once, each with its own reason", async () => {
  const answer = await prober.client.preflight(
    {
      source: { url: other(mysql.url, () => undefined) },
      target: { url: `postgres://app:${encodeURIComponent(secret)}@127.0.0.1:1/app` },
    },
    options,
  );
  expect(answer).toMatchObject({
    unreachable: [
      { side: "source", code: "access_denied" },
      { side: "target", code: "connection_refused" },
    ],
  });
});

test("an option that matches nothing is told as the engine tells it", async () => {
  const pair = { source: { url: mysql.url }, target: { url: postgres.url } };
  const answer = await prober.client.preflight(pair, { ...options, include: ["no_such_table"] });
  expect(answer).toMatchObject({
    unreachable: [{ side: null, code: "option_unmatched", message: /no_such_table/ }],
    source: { engine: "MySQL", size: expect.any(Number), rows: expect.any(Number) },
    target: { engine: "PostgreSQL", empty: expect.any(Boolean) },
  });
});

test("a private CA is used, from beside the URL or from the options", async () => {
  const verified = (url: string) => other(url, (one) => one.searchParams.set("sslmode", "verify-full"), "app-secret");
  const url = verified(postgres.url).replace("app-secret", postgres.password);
  expect(await prober.client.test({ url, ca: postgres.ca })).toMatchObject({ engine: "PostgreSQL", tls: true });
  const pair = { source: { url }, target: { url: mysql.url } };
  expect(await prober.client.preflight(pair, { ...options, source_ca: postgres.ca })).toMatchObject({
    assessment: { type: "conversion" },
  });
});

test("without leave neither loopback nor a name for it is dialled, and a name does not tell whether it is known", async () => {
  const canary = await startRogue((socket) => socket.destroy());
  try {
    const ask = async (host: string) => {
      const answer = await guarded.client.test({
        url: `mysql://app:${encodeURIComponent(secret)}@${host}:${canary.port}/app`,
      });
      const [first] = "unreachable" in answer ? answer.unreachable : [];
      return { code: first?.code, message: first?.message.replace(host, "HOST") };
    };
    expect(await ask("127.0.0.1")).toMatchObject({ code: "address_refused" });
    const known = await ask("localhost");
    expect(known).toMatchObject({ code: "host_not_found" });
    expect(await ask("no-such-host.invalid")).toEqual(known);
    expect(canary.connections()).toBe(0);
  } finally {
    canary.close();
  }
});
