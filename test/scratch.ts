import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Says that the folder in TMPDIR is the run's own already: the runner of `npm test` makes it, and removes it also when it kills the job. */
export const scratchVariable = "ROWFERRY_TEST_SCRATCH";

/** An empty folder for temporary files. The name is short: unix sockets below it have 107 bytes for their path. */
export const makeScratch = (): string => mkdtempSync(join(tmpdir(), "rft-"));
export const removeScratch = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/**
 * Gives the run a folder of its own for temporary files, which `os.tmpdir()` names in every test, in the other global setups and in
 * every process that they start, and removes it at the end. It must be a project's first global setup: vitest ends them in
 * reverse order.
 */
export default function setup(): (() => void) | undefined {
  const given = process.env[scratchVariable] !== undefined;
  // A run of vitest that a test starts makes one of its own.
  delete process.env[scratchVariable];
  if (given) return undefined;
  const before = process.env.TMPDIR;
  const folder = makeScratch();
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    removeScratch(folder);
  };
}
