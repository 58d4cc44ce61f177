import { type CopyOptions, type Endpoint, EngineError, type InventoryEntry } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { printable } from "../../contract/text/printable.ts";
import { sameDatabase } from "../../mysql/fence/same-database.ts";
import { doubtWarnings } from "../../plan/fits/doubt-warnings.ts";
import {
  checkDataOnly,
  codeWarnings,
  largeObjectLeft,
  largeObjectNames,
  largeObjectsLeft,
  largeObjectsThere,
  readSkippedObjects,
  refuseForcedRows,
  refuseUnknown,
  settleLost,
  withPlainThere,
} from "../../plan/postgres-postgres/index.ts";
import type { PlannedObject } from "../../plan/types.ts";
import { readInventory, type Thing, thingKey } from "../../postgres/catalogue/inventory.ts";
import { refuseOtherMoney } from "../../postgres/catalogue/money.ts";
import { readTables, type Sequence } from "../../postgres/catalogue/tables.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { checkDumpVersion, dumpVersion } from "../../postgres/dump/dump.ts";
import { isSameDatabase } from "../../postgres/fence/same-database.ts";
import type { leftInSource } from "../../postgres/source/left-in-source.ts";
import { readUnreadableSequences } from "../../postgres/source/unreadable-sequences.ts";
import { quietly } from "../../postgres/target/data-only.ts";
import { isNamed } from "../../run/fence/drop-option.ts";
import { type Claimed, reportClaimed } from "../claimed.ts";
import { reportDataOnly } from "../data-only.ts";
import { type ReportFinding, reportWarnings } from "../finding.ts";
import type { TargetFindings } from "../found.ts";
import { reportPostgresObjects, reportRefused, withFix } from "../in-the-way.ts";
import { noneDropped, reportPostgresDropped } from "../rows-dropped.ts";
import { readSkipped } from "../skipped.ts";
import { assessPostgresTarget, type PostgresReadings, reportSequences } from "./index.ts";
import { reportCollations } from "./limits.ts";
import { reportOwners } from "./lost-owners.ts";

/** What a copy between two PostgreSQL servers would meet. */

export interface PostgresReading {
  session: Session;
  source: PostgresReadings;
  /** Those that are copied. */
  tables: PostgresReadings["tables"];
  /** Another copy's checkpoint. */
  own: Awaited<ReturnType<typeof leftInSource>>;
  to: Endpoint;
  options: CopyOptions;
  /** By other runs. */
  claimed: Claimed;
  /** pg_dump's major version, where it is known already. */
  pgDump?: number | undefined;
  /** Bytes that pg_dump may take here, which are fewer than the copy has. */
  dumpBytes?: number | undefined;
  signal: AbortSignal;
}

export type PostgresFindings = Pick<TargetFindings, "empty" | "free" | "drops" | "objects" | "packet">;

export async function betweenPostgres(
  { session, source, tables, own, to, options, claimed, pgDump, dumpBytes, signal }: PostgresReading,
  target: Session,
  report: ReportFinding,
): Promise<PostgresFindings> {
  if (await isSameDatabase(session, target)) throw sameDatabase();
  await reportRefused(report, "schemas", () => refuseUnknown(options));
  let dumps = false;
  await reportRefused(report, "pg_dump", async () => {
    checkDumpVersion(pgDump ?? (await dumpVersion(process.env)), session, target);
    dumps = source.tables.every(({ readable }) => readable);
  });
  const things = await readInventory(session, own?.parts ?? new Set());
  const isOwn = ({ schema, name }: Sequence) =>
    own?.parts.has(thingKey({ kind: "sequence", name: fullName(schema, name) })) === true;
  const refused = (await readUnreadableSequences(session)).filter((sequence) => !isOwn(sequence));
  // pg_dump reads every sequence, whatever is left out.
  reportSequences(session, refused, report);
  let notes: InventoryEntry[] = [];
  let reduced: InventoryEntry[] = [];
  if (dumps && refused.length === 0)
    await reportRefused(report, "the source's schema", async () => {
      const skipped = await readSkipped(session, things, own, options, { signal, dumpBytes }).catch(
        (error: unknown) => {
          if (dumpBytes === undefined || !(error instanceof EngineError) || error.code !== "source_refused")
            throw error;
          report(
            "note",
            "objects_unread",
            "the source's schema",
            "it is too large to be read here: only the copy's report lists the objects of skipped tables",
          );
          return { notes: [], reduced: [], lost: [] };
        },
      );
      notes = skipped.notes;
      reduced = options.content === "data" ? [] : skipped.reduced;
      for (const { kind, name, note = "" } of reduced)
        report("warning", "publication_reduced", `${kind} ${name}`, note, publicationFix);
      for (const { name, reason } of settleLost(skipped.lost, options))
        report(
          "warning",
          "table_skipped",
          name,
          `it is not copied: ${reason}`,
          "copy what it needs too, or exclude it",
        );
    });
  const left = new Set(notes.map(thingKey));
  const wanted = things.filter(({ kind, name }) => !left.has(thingKey({ kind, name: printable(name) })));
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  const { encoding, extensions } = source;
  const rowsAlone = options.content === "data";
  const load = { encoding, size: source.size, jobs: options.jobs, makes: !rowsAlone };
  const asked = rowsAlone
    ? { ...load, extensions: [], schemas: [] }
    : { ...load, extensions: extensionsOf(wanted, extensions), schemas };
  const found = await assessPostgresTarget(target, to, asked, report);
  for (const one of await codeWarnings(session, target))
    report("warning", "foreign_code", "code of the source", ...withFix(one));
  await reportRefused(report, "lc_monetary", () => refuseOtherMoney(session, target));
  let drops = noneDropped;
  if (rowsAlone) {
    const kept = new Set(wanted.filter(({ kind }) => kind === "table").map(({ name }) => name));
    const filled = (await readTables(session)).filter(
      ({ schema, name, extension }) => extension !== undefined || kept.has(fullName(schema, name)),
    );
    reportClaimed(
      claimed,
      filled.map(({ schema, name }) => ({ kind: "table", name: fullName(schema, name) })),
      report,
    );
    await reportRefused(report, "the target's tables", async () => {
      const sides = { source: session, target };
      const loaded = await withPlainThere(session, target, filled);
      const { doubtful } = await checkDataOnly(sides, loaded, options.drop, () => false);
      for (const { table, doubts } of doubtful) reportWarnings(doubtWarnings(table, doubts), report);
    });
    await reportDataOnly(target, filled, report, () => quietly(target, filled));
    const going = filled.filter(({ schema, name }) => isNamed(options.drop ?? [], schema, name));
    const names = going.map(({ schema, name }) => fullName(schema, name));
    drops = await reportPostgresDropped(target, names, options.content, report);
  } else {
    await reportOwners(session, target, wanted, report);
    await reportCollations(
      session,
      target,
      tables.map(({ oid }) => oid),
      report,
    );
    await reportRefused(report, "options.verify", () => refuseForcedRows(session, target, tables, options));
    const taken = options.content === "schema" ? [] : await largeObjectsThere(session, target, true);
    drops = await reportPostgresObjects(reportClaimed(claimed, wanted, report), taken, target, options, report);
  }
  const checkpoint = own === undefined ? [] : [own.entry];
  const beside = rowsAlone ? [] : (await leftBehind(session)).filter((one) => !left.has(thingKey(one)));
  for (const { kind, name, note = "" } of beside)
    if (kind === "index")
      report("warning", "index_invalid", `${kind} ${name}`, note, "build it anew (REINDEX) or drop it");
  const told = new Set([...beside, ...reduced, ...notes].map(thingKey));
  const large = await largeObjectNames(session);
  if (rowsAlone && large.length > 0)
    report("warning", "large_objects_not_copied", "large objects", largeObjectsLeft(large), "use content: all");
  const filled = rowsAlone ? await filledViews(session) : new Set<string>();
  const rest = outcomes([...wanted, ...large], options, filled);
  const objects = [
    ...rest.filter(({ kind, name }) => !told.has(thingKey({ kind, name: printable(name) }))),
    ...beside,
    ...notes,
  ];
  return { empty: found.relations.length === 0, free: null, drops, objects: [...objects, ...checkpoint] };
}

const extensionsOf = (wanted: readonly Thing[], extensions: readonly string[]) => {
  const kept = new Set(wanted.flatMap(({ kind, name }) => (kind === "extension" ? [name] : [])));
  return extensions.filter((name) => kept.has(name));
};

const publicationFix = "add the tables to the publication in the target where they are wanted";
const elsewhere = "its rows live on another server and are not copied";

/** `filled`: materialised views that hold rows. */
function outcomes(
  things: readonly Pick<Thing, "kind" | "name">[],
  { content }: CopyOptions,
  filled: ReadonlySet<string>,
): PlannedObject[] {
  return things.map(({ kind, name }): PlannedObject => {
    if (content === "data" && kind === "large object")
      return { kind, name, outcome: "reported", note: largeObjectLeft };
    if (content === "data" && kind === "materialized view" && filled.has(name))
      return { kind, name, outcome: "copied", note: "filled by its query in the target, if it has no rows there" };
    if (content === "data")
      return kind === "table"
        ? { kind, name, outcome: "copied", note: "its rows, into the table that was there" }
        : { kind, name, outcome: "not_applicable", note: "only rows were requested (content: data)" };
    if (content === "schema" && kind === "large object")
      return { kind, name, outcome: "not_applicable", note: "only the schema was requested (content: schema)" };
    return { kind, name, outcome: "copied", ...(kind === "foreign table" ? { note: elsewhere } : {}) };
  });
}

async function filledViews(session: Session): Promise<Set<string>> {
  const views = await session.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'm' AND c.relispopulated`,
  );
  return new Set(views.map(({ schema, name }) => fullName(schema, name)));
}

const leftBehind = async (session: Session): Promise<PlannedObject[]> =>
  (await readSkippedObjects(session)).map(({ definition: _, ...entry }) => ({
    ...entry,
    name: printable(entry.name),
    outcome: "reported",
  }));
