import { expect, test } from "vitest";
import { lacking, sized } from "./sized.ts";
import type { WorkerTemplate } from "./template.ts";

const MiB = 1 << 20;
const mebibytes = (heap: number, container: number) => ({ heap: heap * MiB, container: container * MiB });
const command = (heap: number) => ["node", `--max-old-space-size=${heap}`, "--max-semi-space-size=8", "/app/worker.js"];
const template = (limits: Record<string, string> = { memory: "256Mi", cpu: "1" }) =>
  ({
    command: command(144),
    resources: { requests: { cpu: "250m", memory: "128Mi" }, limits },
    memoryMax: 1024 * MiB,
  }) as unknown as WorkerTemplate;

test.each<[string, ReturnType<typeof mebibytes> | undefined, boolean, number, string, string]>([
  ["without a measurement as it is", undefined, false, 144, "128Mi", "256Mi"],
  ["for a copy that fits as it is", mebibytes(48, 150), false, 144, "128Mi", "256Mi"],
  ["for one that needs more heap alone with that", mebibytes(150, 250), false, 150, "128Mi", "256Mi"],
  ["for one that needs more with that, all of it requested", mebibytes(336, 480), false, 336, "352Mi", "480Mi"],
  ["up to the most, of which the heap leaves the rest its room", mebibytes(1000, 1224), false, 800, "896Mi", "1024Mi"],
  ["no more heap than its container, whatever was claimed", mebibytes(9_000_000, 0), false, 256, "128Mi", "256Mi"],
  ["nor more than the most for both", mebibytes(9_000_000, 8_999_999), false, 1024, "896Mi", "1024Mi"],
  ["within the Migration's own limit", mebibytes(336, 480), true, 144, "128Mi", "256Mi"],
])("a worker's memory is, %s", (_what, need, isOwn, heap, request, limit) => {
  const { command: words, resources } = sized(template(), need, isOwn);
  expect(words).toEqual(command(heap));
  expect(resources).toEqual({
    requests: { cpu: "250m", memory: request },
    limits: { cpu: "1", memory: limit },
  });
});

test("the heap follows a limit that the Migration itself gives", () => {
  const own = { ...template({ memory: "2Gi" }), memoryMax: 0 };
  const { command: words, resources } = sized(own, mebibytes(336, 480), true);
  expect(words).toEqual(command(336));
  expect(resources).toEqual(own.resources);
});

test("nothing is raised where nothing may be, or where no limit holds", () => {
  const need = mebibytes(336, 480);
  const fixed = { ...template(), memoryMax: 0 };
  expect(sized(fixed, need).resources).toEqual(fixed.resources);
  expect(sized(fixed, need).command).toEqual(command(144));
  const unlimited = template({});
  expect(sized(unlimited, need)).toEqual(unlimited);
});

test("what a copy lacks is known before its worker starts", () => {
  expect(lacking(template(), mebibytes(144, 256))).toBe(0);
  expect(lacking(template(), mebibytes(150, 256))).toBe(6 * MiB);
  expect(lacking(template(), mebibytes(144, 300))).toBe(44 * MiB);
  expect(lacking(sized(template(), mebibytes(336, 480)), mebibytes(336, 480))).toBe(0);
  expect(lacking(sized(template(), mebibytes(1000, 1224)), mebibytes(1000, 1224))).toBeGreaterThan(0);
});
