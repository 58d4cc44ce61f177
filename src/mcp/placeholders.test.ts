import { describe, expect, it, test } from "vitest";
import { isPlaceholder, refusePlaceholders } from "./placeholders.ts";

describe("what looks like an example is none of a user's databases", () => {
  test.each([
    "mysql://user:password@host:3306/db",
    "postgres://user:password@hostname/db",
    "postgres://app:word@db.example.com/app",
    "postgres://app:word@example.org:5432/app",
    "mysql://app:word@your-host:3306/app",
    "mysql://app:word@source-host/app",
    "mysql://<user>:<password>@10.0.0.1/app",
    "mysql://%3Cuser%3E:word@10.0.0.1/app",
    "mysql://app:***@10.0.0.1/app",
    "mysql://app:[REDACTED]@10.0.0.1/app",
    "mysql://app:$PASSWORD@10.0.0.1/app",
    `mysql://app:${"$"}{PASSWORD}@10.0.0.1/app`,
    "mysql://app:word@<host>:3306/app",
    "mysql://app:word@[host]:3306/app",
    "mysql://app:word@your-db.eu.example.net/app",
    "mysql://app:{password}@10.0.0.1/app",
    "mysql://app:your_password@10.0.0.1/app",
  ])("%s", (url) => expect(isPlaceholder(url)).toBe(true));
});

describe("what may be one is left to the guard", () => {
  test.each([
    "mysql://user:password@10.0.0.1:3306/db",
    "postgres://app:w0rd@db.shop.internal/app",
    "postgres://app:p%40ss@[2001:db8::1]:5432/app",
    "postgres://app:w0rd@hosting.shop.de/app",
    "postgres://app:pa$word@mydb:5432/app",
    "postgres://app:p%7Bq@10.0.0.1/app",
    "postgres://app:a%3Cb@yourcompany-db.abc.eu-west-1.rds.amazonaws.com/app",
    "postgres://yourusernames:redacted-not@10.0.0.1/app",
    "postgres://app:w0rd@db1.testing.shop.de/host",
    "nonsense",
    "",
  ])("%s", (url) => expect(isPlaceholder(url)).toBe(false));
});

it("is refused by its field, in words that quote nothing of it", () => {
  const given = { source_url: "mysql://anna:word@example.com/db", target_url: "mysql://anna:word@10.0.0.1/db" };
  expect(() => refusePlaceholders(given)).toThrow(
    expect.objectContaining({
      code: "url_refused",
      message: "source_url is a placeholder, not a database: ask the user for the connection URL and never invent one.",
    }),
  );
});
