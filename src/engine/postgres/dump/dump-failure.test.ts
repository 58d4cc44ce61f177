import { expect, test } from "vitest";
import { dumpFailure } from "./dump-failure.ts";

const failed = 'pg_dump: error: connection to server at "db" (10.0.0.7), port 5432 failed: ';
const query = "pg_dump: error: query failed: ";

test.each([
  [`${failed}Connection refused`, "connection_lost", true],
  [`${failed}FATAL:  the database system is starting up`, "connection_lost", true],
  [`${query}server closed the connection unexpectedly`, "connection_lost", true],
  [`${query}FATAL:  terminating connection due to administrator command`, "connection_lost", true],
  [`${query}could not receive data from server: Connection reset by peer`, "connection_lost", true],
  [`${query}could not send data to server: Broken pipe`, "connection_lost", true],
  [`${query}SSL connection has been closed unexpectedly`, "connection_lost", true],
  [`${query}SSL SYSCALL error: EOF detected`, "connection_lost", true],
  [`${query}no connection to the server`, "connection_lost", true],
  [`${failed}FATAL:  sorry, too many clients already`, "too_many_connections", true],
  [`${failed}FATAL:  too many connections for role "app"`, "too_many_connections", true],
  [`${failed}FATAL:  password authentication failed for user "app"`, "access_denied", false],
  [`${failed}FATAL:  no pg_hba.conf entry for host "10.0.0.9"`, "access_denied", false],
  [`${query}ERROR:  canceling statement due to statement timeout`, "lock_timeout", true],
  [`${query}ERROR:  canceling statement due to lock timeout`, "lock_timeout", true],
  [`${query}ERROR:  deadlock detected`, "lock_timeout", true],
  [`${query}ERROR:  permission denied for table item`, "schema_unreadable", false],
  [`${query}ERROR:  snapshot "00000003-1" does not exist`, "schema_unreadable", false],
])("%s is %s", (text, code, retryable) => {
  expect(dumpFailure(text)).toMatchObject({ code, retryable, side: "source" });
});

test("pg_dump's text is part of the message", () => {
  expect(dumpFailure("pg_dump: error: out of shared memory").message).toContain("out of shared memory");
});
