import { expect, test } from "vitest";
import { sourcesOf } from "./packages.ts";
import { isUnknownPackage } from "./pg-tools.ts";

test("Debian's sid is asked, signed by Debian's keys; elsewhere the machine's own sources", () => {
  expect(sourcesOf("http://mirror.example/debian", true)).toBe(
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.example/debian sid main\n",
  );
  expect(sourcesOf("http://mirror.example/debian", false)).toBeUndefined();
  expect(sourcesOf(undefined, true)).toBeUndefined();
});

test("only a package that apt does not have is done without: a network that fails is an error", () => {
  expect(isUnknownPackage(new Error("E: Unable to locate package postgresql-client-18"))).toBe(true);
  expect(isUnknownPackage(new Error("E: Package 'postgresql-client-18' has no installation candidate"))).toBe(true);
  expect(isUnknownPackage(new Error("E: Failed to fetch http://deb.debian.org/…  Connection timed out"))).toBe(false);
});
