import { writerOf } from "../../src/resources/log.ts";
import type { Migration } from "../../src/resources/migration.ts";

/**
 * What the cache keeps of a Migration: without the rows of its tables and the worker's log, which are most of it and on
 * which nothing is decided (but for its errors, so that a cause is not logged twice). To write the worker's part, read it live.
 */
export function trimMigration(migration: Migration): Migration {
  const { managedFields: _fields, ...metadata } = migration.metadata as Migration["metadata"] & {
    managedFields?: unknown;
  };
  const { status } = migration;
  if (status === undefined) return { ...migration, metadata };
  const log = status.log?.filter((entry) => writerOf(entry) === "c" || entry.level === "error");
  return {
    ...migration,
    metadata,
    status: {
      ...status,
      ...(log === undefined ? {} : { log }),
      ...(status.progress === undefined ? {} : { progress: { ...status.progress, table: [] } }),
    },
  };
}
