import { expect, test } from "vitest";
import { withoutOwnAddress } from "./own-address.ts";

test.each([
  [
    "Access denied for user 'r'@'10.244.0.7' (using password: YES)",
    "Access denied for user 'r'@'…' (using password: YES)",
  ],
  [
    "Access denied for user 'r'@'10-244-0-7.rowferry.svc' (using password: NO)",
    "Access denied for user 'r'@'…' (using password: NO)",
  ],
  ["SELECT command denied to user 'r'@'fd00::7' for table 'a'", "SELECT command denied to user 'r'@'…' for table 'a'"],
  [
    "Host '10.244.0.7' is not allowed to connect to this MySQL server",
    "Host '…' is not allowed to connect to this MySQL server",
  ],
  [
    "Host '10.244.0.7' is blocked because of many connection errors",
    "Host '…' is blocked because of many connection errors",
  ],
  [
    'no pg_hba.conf entry for host "10.244.0.7", user "r", database "shop", no encryption',
    'no pg_hba.conf entry for host "…", user "r", database "shop", no encryption',
  ],
  [
    'pg_hba.conf rejects replication connection for host "fe80::1%eth0", user "r", SSL encryption',
    'pg_hba.conf rejects replication connection for host "…", user "r", SSL encryption',
  ],
  ["connect EACCES 10.2.3.4:3306 - Local (10.9.8.7:51324)", "connect EACCES"],
])("%s", (said, told) => {
  expect(withoutOwnAddress(said)).toBe(told);
});

test.each([
  "Access denied for user 'r'@'%' to database 'shop'",
  "Access denied for user 'r'@'10.0.%' to database 'shop'",
  "the definer 'app'@'10.0.0.8' does not exist",
  "Access denied for user 'r'@'localhost' (using password: YES)",
  `the source database's host "10.1.2.3" is not known: check the name`,
  "nothing listens for the target database on 10.1.2.3:5432: check host and port",
])("what the caller gave or granted stays: %s", (said) => {
  expect(withoutOwnAddress(said)).toBe(said);
});
