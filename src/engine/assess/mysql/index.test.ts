import { expect, test } from "vitest";
import { freeOn } from "./index.ts";

const disks = [
  { path: "/", kilobytes: 1 },
  { path: "/var/lib/mysql", kilobytes: 2 },
  { path: "/data", kilobytes: 3 },
];

test.each([
  ["/var/lib/mysql/", 2048],
  ["/var/lib/mysql2/", 1024],
  ["/data/a/b", 3072],
  ["/elsewhere/", 1024],
])("the disk that holds %s is the nearest one above it, not one whose name begins alike", (folder, free) => {
  expect(freeOn(folder, disks)).toBe(free);
});

test("where no disk is told that holds the folder, nothing is said of its room", () => {
  expect(freeOn("/var/lib/mysql/", [{ path: "/data", kilobytes: 3 }])).toBeNull();
  expect(freeOn("/data/", [{ path: "/data", kilobytes: Number.NaN }])).toBeNull();
});
