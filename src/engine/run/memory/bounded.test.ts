import { expect, test } from "vitest";
import { programBytes } from "./bounded.ts";

const GiB = 1 << 30;
const MiB = 1 << 20;

test.each([
  ["a worker's container", 256 * MiB, 16 * GiB, 160 * MiB],
  ["a larger one", 4 * GiB, 16 * GiB, 4 * GiB - 96 * MiB],
  ["a tiny one", 64 * MiB, 16 * GiB, 64 * MiB],
  ["a machine without limits", 0, 16 * GiB, 4 * GiB],
  ["a machine whose limit is none", 2 ** 63, 16 * GiB, 4 * GiB],
  ["a small machine", 0, GiB, 512 * MiB],
])("a program may take what %s has room for", (_, container, machine, bytes) => {
  expect(programBytes(container, machine)).toBe(bytes);
});
