import type { RunCodeEntry } from "./types.ts";

/** Schema, rows, and what happens beside a copy while it runs. */
export const copying = {
  schema_unreadable: {
    means: "The source's schema cannot be read",
    fix: "Grant the right that the message names",
  },
  archive_cut: {
    means: "The output of `pg_dump` is incomplete",
    fix: "Look for a full disk or a killed process on the worker's machine",
  },
  schema_changing: {
    retryable: "yes",
    means: "Another session alters tables of the source while the copy opens its snapshot",
    fix: "End the schema changes in the source",
  },
  source_changed: {
    retryable: "yes",
    means: "A table of the source was altered, or a lock was given up, while the copy read it",
    fix: "End the schema changes in the source",
  },
  table_missing: {
    means: "A table that the copy needs was dropped during the run",
    fix: "Restore the table, or reset the migration",
  },
  target_changed: {
    means:
      "A table that the copy made in the target was altered, filled or dropped by others, while it wrote or before another attempt",
    fix: "Remove what the message names and run again, or name its table in `options.drop`, or reset the migration",
  },
  table_refused: {
    means: "The target refuses a table",
    fix: "Change the table in the source, or skip it with `options.exclude`",
  },
  schema_refused: {
    means: "The target refuses an object",
    fix: "Change the object in the source, or set `options.on_object_error` to `report`",
  },
  too_many_columns: {
    means: "A table has more columns than the target allows",
    fix: "Skip the table with `options.exclude`",
  },
  reserved_name: {
    means: "An object has a name that Rowferry or the target reserves",
    fix: "Rename the object in the source, or skip it with `options.exclude`",
  },
  unsupported_text: {
    means: "A text cannot be stored in the target's encoding",
    fix: "Correct the text in the source, or create the target database with the source's encoding",
  },
  data_refused: {
    means: "The target cannot store a value as it is in the source",
    fix: "Fix the value that the message names, or choose another type with `options.types`",
  },
  duplicate_key: {
    means: "Two rows are equal in a unique key of the target",
    fix: "Fix the rows in the source, or choose another type or collation in the target",
  },
  zero_date: {
    means: "A date has a zero in it, and `options.zero_dates` is `fail`",
    fix: "Fix the date in the source, or set `options.zero_dates` in a new Migration",
  },
  zero_date_in_key: {
    means: "A key column has a date with a zero in it, which cannot become NULL",
    fix: "Fix the date in the source, or set `options.zero_dates` to a date in a new Migration",
  },
  value_in_key: {
    means: "A key column has a value that the target lacks, and a key cannot be NULL",
    fix: "Fix the value in the source, or choose another type with `options.types`",
  },
  foreign_key_violated: {
    means: "Rows refer to rows that do not exist",
    fix: "Fix the rows that the message names in the source",
  },
  row_too_large: {
    means: "A row is larger than a server accepts",
    fix: "Raise the setting that the message names, or skip the table with `options.exclude`",
  },
  disk_full: {
    means: "A server's disk is full",
    fix: "Free space on it",
  },
  out_of_memory: {
    retryable: "yes",
    means: "A server is out of memory",
    fix: "Give the server more memory, or lower `options.jobs`",
  },
  lock_table_full: {
    means: "A server has no room for the locks that the copy needs",
    fix: "Raise the server's setting that the message names",
  },
  transaction_too_large: {
    means: "A transaction is larger than the server allows",
    fix: "Raise the server's setting that the message names",
  },
  statement_timeout: {
    means: "A statement took longer than `options.statement_timeout` or a limit of the server",
    fix: "Set a longer `options.statement_timeout`, or 0, in a new Migration",
  },
  lock_timeout: {
    retryable: "yes",
    means: "A lock was not free in time",
    fix: "End the session that holds the lock",
  },
  conflict: {
    retryable: "yes",
    means: "The server ended a transaction because of a deadlock or conflict with another session",
    fix: "Nothing; if it happens again, stop the other writers",
  },
  cancelled: {
    retryable: "depends",
    means: "Somebody cancelled a statement of the copy",
    fix: "Nothing; if it happens again, see which program cancels statements on the server",
  },
  stalled: {
    retryable: "depends",
    means: "Nothing progressed for `options.stall_timeout`. It is retried unless a disk is full",
    fix: "Remove the cause: the message says what the copy waits for, and who holds it",
  },
  predecessor_alive: {
    retryable: "yes",
    means: "Sessions of an earlier attempt of this run could not be ended on the target",
    fix: "End the sessions, or grant the target's user the right to end its own",
  },
  target_locked: {
    retryable: "yes",
    means: "Another session keeps a lock on `_rowferry`",
    fix: "End the session that holds the lock",
  },
  superseded: {
    means: "The same run was started again elsewhere and has taken over the target",
    fix: "Wait until the other one ends; starting it again here takes over from it",
  },
  stop_overdue: {
    means: "The worker did not stop in time on request",
    fix: "Nothing; the Job starts another pod, which resumes the run",
  },
  database_error: {
    means: "A server reports an error that has no code here",
    fix: "See the server's own words in the message",
  },
  internal_error: {
    means: "Rowferry met an error that it does not expect",
    fix: "See the pod's log, and report it",
  },
} as const satisfies Record<string, RunCodeEntry>;
