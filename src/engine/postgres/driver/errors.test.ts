import { expect, test } from "vitest";
import type { Endpoint } from "../../contract/index.ts";
import { engineError } from "./errors.ts";

const endpoint: Endpoint = {
  engine: "postgres",
  host: "db",
  port: 5432,
  user: "app",
  password: "hunter22",
  database: "shop",
  tls: { mode: "disable" },
};
const told = (code: string, message: string, detail?: string) =>
  engineError(Object.assign(new Error(message), { code, detail, severity: "ERROR" }), { role: "source", endpoint });

test.each([
  ["XX000", "invalid memory alloc request size 1200000003", undefined],
  ["54000", "out of memory", "Cannot enlarge string buffer containing 600000033 bytes by 500000000 more bytes."],
  ["54000", "string buffer exceeds maximum allowed length (1073741823 bytes)", undefined],
])("a row beyond the server's limit is told as that: %s %s", (code, message, detail) => {
  expect(told(code, message, detail)).toMatchObject({ code: "row_too_large", retryable: false });
});

test("what is not known is told in the server's words, without the password", () => {
  const error = told("XX001", "page of hunter22 is broken");
  expect(error).toMatchObject({ code: "database_error", retryable: false });
  expect(error.message).toBe("the source database reported: page of *** is broken (SQLSTATE XX001)");
});

test.each(["There was an error establishing an SSL connection", "received invalid response: 4a"])(
  "a server of the other engine is told as that: %s",
  (message) => {
    const error = engineError(new Error(message), { role: "source", endpoint });
    expect(error).toMatchObject({ code: "protocol_error", retryable: false });
    expect(error.message).toContain("If it is MySQL or MariaDB, use mysql:// in its URL");
  },
);
