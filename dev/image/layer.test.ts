import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { writeLayer } from "./layer.ts";

const folder = mkdtempSync(join(tmpdir(), "layer-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Puts a `tar` first that ends a moment after its last byte, as tar does on a busy machine. */
const slowTar = (code: number) => {
  const path = process.env.PATH;
  writeFileSync(join(folder, "tar"), `#!/bin/sh\nPATH=${path} tar "$@"\nexec >&-\nsleep 0.2\nexit ${code}\n`, {
    mode: 0o755,
  });
  vi.stubEnv("PATH", `${folder}:${path}`);
};

test("a tar that ends a moment after its last byte has not failed", async () => {
  slowTar(0);
  writeFileSync(join(folder, "content"), "x".repeat(1000));
  const file = join(folder, "layer.tar.zst");
  const { size, unpacked } = await writeLayer({ folder, entries: ["content"] }, file);
  expect(statSync(file).size).toBe(size);
  expect(unpacked).toBeGreaterThan(1000);
});

test("one that ends with an error has", async () => {
  slowTar(2);
  await expect(writeLayer({ folder, entries: ["content"] }, join(folder, "bad"))).rejects.toThrow(/failed with 2/);
});
