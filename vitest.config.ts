import { configDefaults, defineConfig } from "vitest/config";
import { foldersOf, type Part, parts, setupsOf } from "./test/runner/parts.ts";

const minute = 60_000;

/** Files of a part run one after the other, so that they do not starve each other; `test/run.ts` runs parts side by side. */
const project = (part: Part) => {
  const testTimeout = part.minutes * minute;
  return {
    extends: true as const,
    test: {
      name: part.name,
      include: foldersOf(part).map((folder) => `${folder}/**/*.test.ts`),
      setupFiles: ["test/each-file.ts"],
      globalSetup: setupsOf(part),
      // One process runs a job's files: a process of its own costs each file a third of a second of processor time.
      isolate: false,
      // What starts no server may use every core.
      fileParallelism: part.name === "unit",
      testTimeout,
      // Of tests that say that they may run side by side.
      maxConcurrency: 3,
      hookTimeout: Math.max(testTimeout, 5 * minute),
    },
  };
};

/** A project for each part of the test suite. */
export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, "**/.cache/**"],
    // A test that forgets to await what fails must not pass.
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    allowOnly: false,
    // The default of a second is less than a busy machine takes.
    // A test that asserts nothing passes whatever the code does. One that runs beside others needs its context's `expect`.
    expect: { poll: { timeout: 10_000 }, requireAssertions: true },
    restoreMocks: true,
    unstubEnvs: true,
    teardownTimeout: minute,
    projects: parts.map(project),
  },
});
