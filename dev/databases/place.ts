// Where the folders of databases outside the cluster are.
import { statfsSync } from "node:fs";
import { availableParallelism, freemem, tmpdir } from "node:os";

/** Names the folder in which each database makes its own; the machine's folder for temporary files without it. */
export const placeVariable = "ROWFERRY_DATABASE_FOLDER";

export const databasePlace = (environment: NodeJS.ProcessEnv): string => environment[placeVariable] ?? tmpdir();

const gigabyte = 2 ** 30;
const inMemory = "/dev/shm";

/**
 * A folder in memory, where it has room for the databases of tests that run side by side: what a test's database writes need not
 * outlast the machine, and a disk's flushes are half of such a test's time. Else undefined.
 */
export const placeInMemory = (): string | undefined => {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    const wanted = (4 + availableParallelism()) * gigabyte;
    return bavail * bsize >= wanted && freemem() >= wanted ? inMemory : undefined;
  } catch {
    return undefined;
  }
};
