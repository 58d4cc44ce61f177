import { rootCertificates } from "node:tls";
import { describe, expect, test } from "vitest";
import { parseDatabaseUrl, UrlError } from "./url.ts";

const pem = `${rootCertificates[0]}\n`;
const base = {
  engine: "postgres",
  host: "db",
  port: 5432,
  user: "u",
  password: "p",
  database: "shop",
  tls: { mode: "prefer" },
};

describe("what is read", () => {
  test.each([
    ["postgres", "postgres://u:p@db/shop", {}],
    ["postgresql", "postgresql://u:p@db/shop", {}],
    ["a scheme in capitals", "PostgreSQL://u:p@db/shop", {}],
    ["mysql and its port", "mysql://u:p@db/shop", { engine: "mysql", port: 3306 }],
    ["mariadb", "mariadb://u:p@db/shop", { engine: "mysql", port: 3306 }],
    ["a port", "postgres://u:p@db:6432/shop", { port: 6432 }],
    ["IPv4", "postgres://u:p@10.0.0.7/shop", { host: "10.0.0.7" }],
    ["IPv6", "postgres://u:p@[fd00::7]:5433/shop", { host: "fd00::7", port: 5433 }],
    ["no password", "postgres://u@db/shop", { password: "" }],
    ["an empty password", "postgres://u:@db/shop", { password: "" }],
    ["escapes in the user", "postgres://a%40b.c:p@db/shop", { user: "a@b.c" }],
    ["escapes in the password", "postgres://u:p%2Fa%3As%23s%3F%25%40@db/shop", { password: "p/a:s#s?%@" }],
    ["a colon in the password", "postgres://u:a:b@db/shop", { password: "a:b" }],
    ["other scripts", "postgres://%D0%B8:%E5%AF%86@db/%E5%BA%97", { user: "и", password: "密", database: "店" }],
    ["a slash in the database's name", "postgres://u:p@db/a%2Fb", { database: "a/b" }],
    ["space around it", "  postgres://u:p@db/shop\n", {}],
    ["a host in another script", "postgres://u:p@д%D0%B1.io/shop", { host: "xn--90af.io" }],
    ["an underscore in the host", "postgres://u:p@my_db/shop", { host: "my_db" }],
    ["harmless parameters", "postgres://u:p@db/shop?connect_timeout=5&application_name=x", {}],
  ])("%s", (_what, url, expected) => {
    expect(parseDatabaseUrl(url)).toEqual({ ...base, ...expected });
  });
});

describe("TLS", () => {
  test.each([
    ["postgres://u:p@db/shop?sslmode=disable", "disable"],
    ["postgres://u:p@db/shop?sslmode=require", "require"],
    ["postgres://u:p@db/shop?sslmode=verify-ca", "verify-ca"],
    ["postgres://u:p@db/shop?SSLMODE=Verify-Full", "verify-full"],
    ["mysql://u:p@db/shop?ssl-mode=REQUIRED", "require"],
    ["mysql://u:p@db/shop?ssl-mode=VERIFY_IDENTITY", "verify-full"],
    ["mysql://u:p@db/shop?sslmode=verify-full", "verify-full"],
    ["mysql://u:p@db/shop", "prefer"],
  ])("%s is %s", (url, mode) => {
    expect(parseDatabaseUrl(url).tls).toEqual({ mode });
  });

  test.each([
    ["postgres://u:p@db/shop?channel_binding=require", { mode: "require", binding: "require" }],
    ["postgres://u:p@db/shop?sslmode=verify-full&channel_binding=require", { mode: "verify-full", binding: "require" }],
    ["postgres://u:p@db/shop?channel_binding=Disable", { mode: "prefer", binding: "disable" }],
    ["postgres://u:p@db/shop?channel_binding=prefer", { mode: "prefer", binding: "prefer" }],
  ])("%s binds the login to TLS", (url, tls) => {
    expect(parseDatabaseUrl(url).tls).toEqual(tls);
  });

  test.each([
    ["postgres://u:p@db/shop?channel_binding=yes", /disable, prefer, require/],
    ["postgres://u:p@db/shop?sslmode=disable&channel_binding=require", /needs TLS/],
    ["mysql://u:p@db/shop?channel_binding=require", /channel_binding is unknown/],
  ])("%s is refused", (url, words) => {
    expect(() => parseDatabaseUrl(url)).toThrow(words);
  });

  test.each([
    ["", "require", "require"],
    ["", "verify-full", "verify-full"],
    ["?sslmode=verify-full", "require", "verify-full"],
    ["?sslmode=require", "require", "require"],
    ["", "disable", "prefer"],
  ] as const)("the URL %j at an installation's minimum of %s is %s", (query, minTls, mode) => {
    for (const scheme of ["postgres", "mysql"])
      expect(parseDatabaseUrl(`${scheme}://u:p@db/shop${query}`, { minTls }).tls).toEqual({ mode });
  });

  test.each([
    ["disable", "prefer"],
    ["prefer", "require"],
    ["require", "verify-ca"],
  ] as const)("sslmode=%s is refused below a minimum of %s, with the mode to use", (mode, minTls) => {
    for (const scheme of ["postgres", "mysql"])
      expect(() => parseDatabaseUrl(`${scheme}://u:p@db/shop?sslmode=${mode}`, { minTls })).toThrow(
        `use sslmode=${minTls}`,
      );
  });

  test("a CA lifts a weaker mode to the minimum", () => {
    const url = "postgres://u:p@db/shop?sslmode=require";
    expect(parseDatabaseUrl(url, { ca: pem, minTls: "verify-ca" }).tls).toEqual({ mode: "verify-ca", ca: pem });
  });

  test("a CA without a mode means that the certificate is verified in full", () => {
    expect(parseDatabaseUrl("postgres://u:p@db/shop", { ca: pem }).tls).toEqual({ mode: "verify-full", ca: pem });
  });

  test.each([
    ["disable", "disable"],
    ["prefer", "verify-ca"],
    ["require", "verify-ca"],
    ["verify-ca", "verify-ca"],
    ["verify-full", "verify-full"],
  ])("a CA counts beside every mode that encrypts: %s", (given, mode) => {
    for (const scheme of ["postgres", "mysql"])
      expect(parseDatabaseUrl(`${scheme}://u:p@db/shop?sslmode=${given}`, { ca: pem }).tls).toEqual({ mode, ca: pem });
  });

  test("a CA that is a path is refused", () => {
    expect(() => parseDatabaseUrl("postgres://u:p@db/shop", { ca: "/etc/ssl/ca.pem" })).toThrow(/must be PEM/);
  });
});

describe("what is refused, by a code and in words that never hold the URL", () => {
  const secret = "s3cr3t";
  test.each([
    ["nothing", "", "url_incomplete"],
    ["no scheme", `u:${secret}@db/shop`, "url_scheme"],
    ["another scheme", `mongodb://u:${secret}@db/shop`, "url_scheme"],
    ["a file", `file:///${secret}`, "url_scheme"],
    ["a scheme without slashes", `postgres:u:${secret}@db/shop`, "url_malformed"],
    ["no user", "postgres://db/shop", "url_incomplete"],
    ["no database", `postgres://u:${secret}@db`, "url_incomplete"],
    ["an empty database", `postgres://u:${secret}@db/`, "url_incomplete"],
    ["no host", `postgres://u:${secret}@/shop`, "url_malformed"],
    ["two hosts", `postgres://u:${secret}@a,b/shop`, "url_malformed"],
    ["a parent segment in the path", `postgres://u:${secret}@db/shop/../other`, "url_malformed"],
    ["an encoded parent segment", `postgres://u:${secret}@db/shop/%2e%2E/other`, "url_malformed"],
    ["a dot for a database", `postgres://u:${secret}@db/.?sslmode=require`, "url_malformed"],
    [
      "sslmode in two spellings",
      `mysql://u:${secret}@db/shop?ssl_mode=verify_identity&ssl-mode=disabled`,
      "url_parameter_value",
    ],
    ["a port that is none", `postgres://u:${secret}@db:port/shop`, "url_malformed"],
    ["a port that is too large", `postgres://u:${secret}@db:70000/shop`, "url_malformed"],
    ["port 0", `postgres://u:${secret}@db:0/shop`, "url_malformed"],
    ["a socket as host", `postgres://u:${secret}@%2Fvar%2Frun/shop`, "url_parameter_refused"],
    ["an @ in the password", `postgres://u:${secret}@x@db/shop`, "url_malformed"],
    ["a # in the password", `postgres://u:${secret}#x@db/shop`, "url_malformed"],
    ["a / in the password", `postgres://u:${secret}/x@db/shop`, "url_malformed"],
    ["a % that escapes nothing", `postgres://u:${secret}%zz@db/shop`, "url_malformed"],
    ["a control character", `postgres://u:${secret}%00@db/shop`, "url_malformed"],
    ["a line break", `postgres://u:${secret}\n@db/shop`, "url_malformed"],
    ["an address in full-width digits", `postgres://u:${secret}@１２７.0.0.1/shop`, "url_malformed"],
    ["a strange host", `postgres://u:${secret}@d%20b/shop`, "url_malformed"],
    ["two databases", `postgres://u:${secret}@db/a/b`, "url_malformed"],
    ["a URL without end", `postgres://u:${secret}@db/${"x".repeat(9000)}`, "url_malformed"],
    ["a mode that is none", `postgres://u:${secret}@db/shop?sslmode=${secret}`, "url_parameter_value"],
    ["allow, which would prefer plain text", `postgres://u:${secret}@db/shop?sslmode=allow`, "url_parameter_value"],
    ["a parameter twice", `postgres://u:${secret}@db/shop?sslmode=require&sslmode=disable`, "url_parameter_value"],
    ["an unknown parameter", `postgres://u:${secret}@db/shop?foo=${secret}`, "url_parameter_unknown"],
    [
      "an unknown parameter with a strange name",
      `postgres://u:${secret}@db/shop?${secret}%0A=1`,
      "url_parameter_unknown",
    ],
    ["an unknown parameter that every object has", `mysql://u:${secret}@db/shop?__proto__=x`, "url_parameter_unknown"],
    ["a mode that every object has", `mysql://u:${secret}@db/shop?sslmode=constructor`, "url_parameter_value"],
    ["another engine's parameter", `mysql://u:${secret}@db/shop?application_name=x`, "url_parameter_unknown"],
  ])("%s", (_what, url, code) => {
    let thrown: unknown;
    try {
      parseDatabaseUrl(url);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UrlError);
    expect((thrown as UrlError).code).toBe(code);
    expect((thrown as UrlError).message).not.toContain(secret);
    expect((thrown as UrlError).cause).toBeUndefined();
  });

  test.each([
    "sslrootcert",
    "sslcert",
    "sslkey",
    "sslpassword",
    "passfile",
    "service",
    "host",
    "hostaddr",
    "port",
    "user",
    "password",
    "dbname",
    "socketPath",
    "options",
    "multipleStatements",
    "flags",
    "authPlugins",
    "ssl",
    "ssl-ca",
    "allowLoadLocalInfile",
    "replication",
  ])("the parameter %s is refused by its name", (name) => {
    for (const scheme of ["postgres", "mysql"])
      expect(() => parseDatabaseUrl(`${scheme}://u:${secret}@db/shop?${name}=${secret}`)).toThrow(
        new RegExp(`(the parameter ${name} is refused: |use sslmode=require instead of ${name}$)(?!.*${secret})`),
      );
  });
});
