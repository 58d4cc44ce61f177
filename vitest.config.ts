import { configDefaults, defineConfig } from "vitest/config";

const minute = 60_000;

/** A part whose tests start servers: its files run one after the other, so that they do not starve each other. */
const served = (name: string, testTimeout: number, globalSetup: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    globalSetup,
    fileParallelism: false,
    testTimeout,
    // Of tests that say that they may run side by side.
    maxConcurrency: 3,
    hookTimeout: Math.max(testTimeout, 5 * minute),
  },
});

/** The parts of the test suite; `test/run.ts` runs them in its own order. */
export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, "**/.cache/**"],
    globalSetup: ["test/scratch.ts"],
    // A test that forgets to await, or awaits nothing that can fail, must not pass.
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    allowOnly: false,
    restoreMocks: true,
    unstubEnvs: true,
    teardownTimeout: minute,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "controllers/**/*.test.ts", "dev/**/*.test.ts"],
          testTimeout: 5_000,
        },
      },
      served("repository", minute),
      served("engine", 3 * minute),
      served("chaos", 10 * minute),
      served("property", 5 * minute),
      served("cli", 2 * minute),
      served("worker", 2 * minute),
      served("prober", 2 * minute),
      served("operator", 3 * minute),
      served("api", 2 * minute, ["test/api/setup.ts"]),
      served("mcp", 3 * minute, ["test/api/setup.ts"]),
      served("load", 5 * minute),
      served("fuzz", 15 * minute),
      served("guard", 3 * minute),
      served("chart", 3 * minute),
      served("dev", 10 * minute),
      served("databases", 5 * minute),
      served("first-hour", 10 * minute),
      served("cluster", 10 * minute, ["test/cluster/setup.ts"]),
    ],
  },
});
