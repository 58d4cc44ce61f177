import { expect, test } from "vitest";
import { lockHolder } from "./apt.ts";

test.each([
  [
    "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 3668 (apt-get)\nE: Unable to lock directory /var/lib/apt/lists/",
    "process 3668 (apt-get)",
  ],
  [
    "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (unattended-upgr)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
    "process 812 (unattended-upgr)",
  ],
  [
    "E: Could not get lock /var/lib/apt/lists/lock - open (11: Resource temporarily unavailable)\nE: Unable to lock directory /var/lib/apt/lists/",
    "another process",
  ],
  [
    "E: Could not get lock /var/lib/dpkg/lock-frontend - open (11: Resource temporarily unavailable)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
    "process 30 (perl)",
    "Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 30 (perl)... 5s",
  ],
  ["E: Unable to locate package iptables", undefined, "Waiting for cache lock: It is held by process 30 (perl)... 5s"],
  ["E: Failed to fetch http://mirror.example/x.deb  404  Not Found", undefined],
  ["", undefined],
])("the holder of apt's lock is read from its message: %#", (stderr, holder, stdout = "") => {
  expect(lockHolder({ stdout, stderr })).toBe(holder);
});
