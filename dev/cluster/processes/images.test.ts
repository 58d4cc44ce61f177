import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { run } from "../../terminal/run.ts";

// Each starts programs, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

test("without openssl the demo ends before anything starts, with the next step", async () => {
  const cache = mkdtempSync(join(tmpdir(), "rowferry-images-"));
  const env = { PATH: cache, HOME: cache, ROWFERRY_CACHE: cache };
  const demo = join(import.meta.dirname, "../../demo.ts");
  const failed = await run(process.execPath, [demo, "--processes"], { env }).catch((error: Error) => error);
  expect(failed).toMatchObject({ code: 1 });
  const lines = (failed as unknown as { stderr: string }).stderr.trim().split("\n");
  expect(lines[0]).toMatch(/^Simulated: /);
  expect(lines.slice(1).filter((line) => /^[✓–…]/.test(line))).toEqual([]);
  expect(lines).toContainEqual(expect.stringMatching(/^✗ demo: `openssl` is not on PATH\./));
  expect(lines.at(-1)).toBe("  next: Install openssl, or Docker, then run the command again.");
  expect(readdirSync(cache)).toEqual(["logs"]);
  rmSync(cache, { recursive: true });
});
