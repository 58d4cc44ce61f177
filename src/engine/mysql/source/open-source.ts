import {
  type CopyHooks,
  type CopyReport,
  type CopyRequest,
  EngineError,
  type InventoryEntry,
} from "../../contract/index.ts";
import { mysqlEngine } from "../../contract/text/engine-name.ts";
import { requireMemory } from "../../run/memory/check.ts";
import { createSelection } from "../../run/selection.ts";
import { readCatalogue } from "../catalogue/catalogue.ts";
import { readExactLabels } from "../catalogue/exact-labels.ts";
import type { Catalogue } from "../catalogue/tables.ts";
import type { Session } from "../driver/session.ts";
import { fenceTableName } from "../fence/table.ts";
import { selectedCatalogue, withoutCheckpoint } from "./selected.ts";
import { openSnapshot, type Snapshot } from "./snapshot.ts";

/** A MySQL or MariaDB source as a copy reads it: one state of it, and what of it is to be copied. */
export interface OpenedSource {
  snapshot: Snapshot;
  /** The first of the snapshot's. */
  reader: Session;
  catalogue: Catalogue;
  /** What is not copied, for the report. */
  excluded: InventoryEntry[];
  /** Bytes with indexes, by the server's statistics. */
  size: number;
}

interface Opening {
  request: CopyRequest;
  hooks: Pick<CopyHooks, "log">;
  signal: AbortSignal;
  fail(error: unknown): void;
  atEnd(end: () => Promise<unknown>): void;
}

/** `look`: what is refused before the catalogue is read. Errors: those of the snapshot, `memory_too_small`, `option_unmatched`. */
export async function openMysqlSource(
  { request, hooks, signal, fail, atEnd }: Opening,
  look: (reader: Session) => Promise<void> = async () => undefined,
): Promise<OpenedSource> {
  const { options } = request;
  const { database } = request.source;
  const selection = createSelection(options);
  const has = (table: string) => selection.has(database, table);
  const snapshot = await openSnapshot(request.source, options.jobs, "rowferry", signal, fail, {
    locks: options.source_locks,
    blockingTimeout: options.blocking_timeout,
    statementTimeout: options.statement_timeout,
    has: (table) => table !== fenceTableName && has(table),
    rowless: options.content === "schema",
    log: (message) => hooks.log("info", message),
  });
  atEnd(() => snapshot.close());
  const [reader] = snapshot.readers;
  if (reader === undefined) throw new EngineError("database_error", "no session on the source was opened");
  await look(reader);
  const { definitions } = snapshot;
  await requireMemory({ engine: "mysql", session: definitions }, request.target.engine, options);
  const found = await readCatalogue(definitions, database, has, reader);
  const { whole, left } = await withoutCheckpoint(reader, database, found, has);
  const { catalogue, excluded } = selectedCatalogue(whole, database, selection);
  await readExactLabels(reader, database, catalogue.tables);
  const size = catalogue.tables.reduce((sum, table) => sum + table.dataBytes + table.indexBytes, 0);
  return { snapshot, reader, catalogue, excluded: [...left, ...excluded], size };
}

/** As a report calls the server. */
export const flavourOf = ({ server }: Pick<Session, "server">): CopyReport["source"] => ({
  engine: mysqlEngine(server),
  version: server.versionText,
});
