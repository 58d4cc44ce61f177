import { EngineError, type Verification } from "../contract/index.ts";

/**
 * Of tables that an earlier attempt finished, those that a comparison of their values proves equal to the new snapshot.
 * `names`: as the comparison calls them (verify/checksum/messages.ts). What cannot be compared, in whole or in part, is not proven.
 */
export async function verifiedEqual(
  names: readonly string[],
  compare: () => Promise<Verification>,
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  try {
    const { differences, uncompared } = await compare();
    const different = new Set(differences.map(({ source }) => source));
    return new Set(
      names.filter((name) => !different.has(name) && !uncompared.some((column) => column.startsWith(`${name}.`))),
    );
  } catch (error) {
    // A table is gone or another by now: what is not proven is copied again.
    if (error instanceof EngineError && !error.retryable) return new Set();
    throw error;
  }
}
