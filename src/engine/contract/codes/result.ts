import type { RunCodeEntry } from "./types.ts";

/** The end of a run, a reset, and the questions of a probe. */
export const result = {
  row_count_mismatch: {
    means: "Source and target have different numbers of rows at the end",
    fix: "Stop other writers of the target; reset the migration. The log names the tables",
    formerly: ["count_mismatch"],
  },
  inventory_incomplete: {
    means: "The target lacks objects at the end that the copy created",
    fix: "Stop other users of the target; reset the migration. The log names the objects",
  },
  verification_failed: {
    means: "Values of source and target differ",
    fix: "Stop other writers of the target; reset the migration. The report names the rows",
  },
  result_not_written: {
    retryable: "yes",
    means: "A report or result file could not be written",
    fix: "Free space or name another file: the same `rowferry copy` writes it without copying again",
  },
  nothing_to_reset: {
    means: "`rowferry reset` found no unfinished run in the target",
    fix: "Check the target and `--run`",
  },
  other_database: {
    means: "A reset's list of created objects is of another database or server; nothing was dropped",
    fix: "Name the database of the run; see [Reset](cli.md#reset)",
  },
  made_unreadable: {
    means: "In the cluster, a reset's list of created objects is too long or was changed by hand",
    fix: "Drop those objects yourself, then create another migration",
  },
  probe_timeout: {
    means: "Both databases were reached, and did not respond to all queries of a probe in time",
    fix: "Use `rowferry assess`, which has no deadline",
  },
} as const satisfies Record<string, RunCodeEntry>;
