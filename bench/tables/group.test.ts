import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { runChild } from "../child.ts";
import { type MemoryGroup, openMemoryGroup } from "./group.ts";

const signal = new AbortController().signal;
const allowed = process.getuid?.() === 0 && existsSync("/sys/fs/cgroup");

const inGroup = async (limitMib: number, takenMib: number) => {
  const group = (await openMemoryGroup(`rowferry-bench-test-${process.pid}`, limitMib)) as MemoryGroup;
  try {
    const [command, args] = group.command("dd", ["if=/dev/zero", "of=/dev/null", `bs=${takenMib}M`, "count=1"]);
    const { code } = await runChild(command, args, { signal });
    return { code, killed: group.killed(), peakMib: group.peakMib() ?? limitMib };
  } finally {
    await group.close();
  }
};

test.runIf(allowed)("a program's peak in a control group is known", async () => {
  const { code, killed, peakMib } = await inGroup(128, 64);
  expect({ code, killed }).toEqual({ code: 0, killed: 0 });
  expect(peakMib).toBeGreaterThanOrEqual(64);
  expect(peakMib).toBeLessThan(128);
});

test.runIf(allowed)("a program that takes more than its group's memory is ended, and that is known", async () => {
  const { code, killed } = await inGroup(32, 64);
  expect(code).toBe(null);
  expect(killed).toBe(1);
});

test("a group that cannot be made is a reason in words", async () => {
  expect(await openMemoryGroup("rowferry-bench-test\0", 32)).toMatch(/null bytes/);
});
