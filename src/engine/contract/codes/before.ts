import type { RunCodeEntry } from "./types.ts";

/** What stops a run before its first write: options, versions, sizes, and objects that the target has already. */
export const before = {
  option_invalid: {
    means: "An option has a value that this copy cannot use",
    fix: "Correct the option that the message names, in a new Migration",
  },
  option_unmatched: {
    means: "An option names a table, column or schema that does not exist",
    fix: "Correct the name in a new Migration",
  },
  unsupported_option: {
    means: "The option does not apply to this pair of databases",
    fix: "Remove the option, in a new Migration",
  },
  unsupported_version: {
    means: "The server's version is not supported",
    fix: "Upgrade the server as the message says; see [servers](servers.md)",
  },
  extension_missing: {
    means: "The target server lacks an extension of the source",
    fix: "Install the extension's package on the target server, or drop it from the source",
  },
  collation_missing: {
    means: "The target server lacks a collation of the source",
    fix: "Install the locale on the target's host, or change the collation in the source",
  },
  target_encoding: {
    means: "The target database's encoding cannot hold the source's texts",
    fix: "Create the target database with encoding UTF8",
  },
  locks_refused: {
    means: "The source refuses the locks that `options.source_locks: require` asks for",
    fix: "Grant the source's user `RELOAD` or `LOCK TABLES`, or set `options.source_locks` to `auto`",
  },
  pg_dump_missing: {
    means: "The worker has no `pg_dump`",
    fix: "Use Rowferry's image. On your own machine: install PostgreSQL's client programs",
  },
  pg_dump_too_old: {
    means: "The worker's `pg_dump` is older than a server",
    fix: "Use Rowferry's image. On your own machine: install the version that the message names",
  },
  unknown_archive: {
    means: "`pg_dump` writes an archive in a format that Rowferry does not know",
    fix: "Use Rowferry's image. On your own machine: install the version that the message names",
  },
  memory_too_small: {
    means: "The source has too many tables for the memory of a worker",
    fix: "In Kubernetes, retry: the next run gets the memory that it needs, up to `worker.memoryMax` of the chart. Beyond it, set the chart values that the message names",
  },
  no_room: {
    means: "The target's disk has less free space than the copy needs",
    fix: "Free space on the target",
  },
  source_too_large: {
    means: "The source has grown beyond its quote, or is too large for a free migration",
    fix: "Get a new estimate and create a new migration",
  },
  source_statistics_wrong: {
    means: "The source reports too small a size",
    fix: "Run `ANALYZE TABLE` on MySQL's tables, drop what was copied, get a new estimate and create a new migration",
  },
  source_over_quote: {
    means: "The source is more than 10 % larger than quoted",
    fix: "Get a new estimate and create a new migration; see [payment](operations.md#payment)",
  },
  source_over_free_limit: {
    means: "The source is too large for a free migration",
    fix: "Get a new estimate and create a new migration; see [payment](operations.md#payment)",
  },
  target_not_empty: {
    means: "The target already has objects with the names of the source's",
    fix: "Drop them, name the tables in `options.drop`, or use another database",
  },
  target_in_use: {
    means: "Another run copies into the same tables of the target, or has not finished there",
    fix: "Wait for that run, retry it or reset it. If it was deleted: run the `DELETE` of the message in the target, and name its tables in `options.drop`. On the command line: run the `rowferry reset` of the message",
  },
  dependents_exist: {
    means: "Something in the target depends on a table that `options.drop` names",
    fix: "Drop what depends on it, or name that in `options.drop` too",
  },
  target_has_triggers: {
    means: "A table of the target has triggers that would change the copied rows",
    fix: "Drop or disable the triggers that the message names",
  },
  names_alike: {
    means: "The target does not distinguish two names of the source",
    fix: "Rename one of them in the source, or skip one with `options.exclude`",
  },
  schema_differs: {
    means: "With `content: data`, a table of the target is missing, or its columns do not fit the source's",
    fix: "Create the table and columns that the message names, with the source's types",
    formerly: ["target_table_missing", "target_columns_missing", "target_columns_differ"],
  },
} as const satisfies Record<string, RunCodeEntry>;
