import { EngineError } from "../contract/index.ts";

const mostNamed = 20;

/** Rows of each table on both sides; undefined: none were counted. Errors: `row_count_mismatch` with the tables that differ. */
export function refuseCounts(tables: Iterable<{ name: string; source: number; target: number | undefined }>): void {
  const different = [...tables].filter(({ source, target }) => source !== target);
  if (different.length === 0) return;
  const words = different
    .slice(0, mostNamed)
    .map(
      ({ name, source, target = "none" }) =>
        `table ${name} has ${source} rows in the source and ${target} in the target`,
    );
  const more = different.length > mostNamed ? `; and ${different.length - mostNamed} more tables` : "";
  throw new EngineError(
    "row_count_mismatch",
    `${words.join("; ")}${more}: nothing else may write to the target while it is copied; reset and run again`,
  );
}
