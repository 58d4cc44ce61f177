import { writeFile } from "node:fs/promises";

/**
 * From now on a crash of this process, or of one that it starts, leaves a core file without its memory, in which a URL may be.
 * `failed` is told why that cannot be had.
 */
export const keepCoresEmpty = (failed: (words: string) => void): Promise<void> =>
  writeFile("/proc/self/coredump_filter", "0").catch((error: NodeJS.ErrnoException) =>
    failed(`core files cannot be kept empty: ${error.code}`),
  );
