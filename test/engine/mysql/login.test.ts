import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { connect } from "../../../src/engine/mysql/driver/session.ts";
import { connect as connectPostgres } from "../../../src/engine/postgres/driver/connection.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";

/** A login that fails says which part of the URL is wrong. */

const servers = new Map<string, Database>();
beforeAll(async () => {
  const kinds = ["mysql", "mariadb", "postgres"] as const;
  await Promise.all(kinds.map(async (kind) => servers.set(kind, await borrowDatabase(kind))));
});
afterAll(() => Promise.all([...servers.values()].map((one) => one.stop())));

const serverOf = (kind: string): Database => {
  const found = servers.get(kind);
  if (found === undefined) throw new Error(kind);
  return found;
};
const purpose = { role: "source", program: "test" } as const;
const failed = (work: Promise<unknown>): Promise<Error & { code: string }> =>
  work.then(
    () => {
      throw new Error("it logged in");
    },
    (error) => error,
  );

test.each(["mysql", "mariadb"])("%s: a mistyped database is not told as a missing right alone", async (kind) => {
  const server = serverOf(kind);
  const admin = await mysqlAs(server.adminUrl);
  await admin.query("CREATE DATABASE mistyped_shop");
  await admin.query("CREATE USER mistyper IDENTIFIED BY 'Pass-word-1'");
  await admin.query("GRANT SELECT ON mistyped_shop.* TO mistyper");
  const own = endpoint(server.urlOf("mistyped_shpo", "admin"), "mysql");
  const few = await failed(connect({ ...own, user: "mistyper", password: "Pass-word-1" }, purpose));
  expect(few).toMatchObject({ code: "permission_denied", retryable: false });
  expect(few.message).toBe(
    'unknown source database, or no right to it: "mistyped_shpo": correct the URL, or grant user "mistyper" its rights (the user sees: mistyped_shop)',
  );
  const all = await failed(connect(own, purpose));
  expect(all).toMatchObject({ code: "database_not_found" });
  expect(all.message).toMatch(/"mistyped_shpo" does not exist: .* \(the user sees: .*mistyped_shop/);
  await admin.query("DROP DATABASE mistyped_shop");
  await admin.query("DROP USER mistyper");
  await admin.end();
});

test.each(["mysql", "mariadb", "postgres"] as const)("%s: a URL without a password is named as that", async (kind) => {
  const server = serverOf(kind);
  const given = { ...endpoint(server.url, kind === "postgres" ? "postgres" : "mysql"), password: "" };
  const error = await failed(
    kind === "postgres" ? connectPostgres(given, { role: "source", applicationName: "test" }) : connect(given, purpose),
  );
  expect(error).toMatchObject({ code: "access_denied", retryable: false });
  expect(error.message).toContain("without a password, and the URL has no password: add it as user:password@host");
  expect(error.message).not.toContain("SASL");
});
