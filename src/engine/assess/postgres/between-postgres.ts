import { type CopyOptions, type Endpoint, EngineError } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { sameDatabase } from "../../mysql/fence/same-database.ts";
import { doubtWarnings } from "../../plan/fits/doubt-warnings.ts";
import {
  checkDataOnly,
  codeWarnings,
  filled,
  largeObjectsThere,
  loadedTables,
  noneSkipped,
  planCopy,
  readSkipped,
  refuseForcedRows,
  refuseUnknown,
  settleLost,
  withLeaves,
} from "../../plan/postgres-postgres/index.ts";
import { readInventory, type Thing } from "../../postgres/catalogue/inventory.ts";
import { refuseOtherMoney } from "../../postgres/catalogue/money.ts";
import { readDataTables, type Sequence } from "../../postgres/catalogue/tables.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { checkDumpVersion, dumpVersion } from "../../postgres/dump/dump.ts";
import { isSameDatabase } from "../../postgres/fence/same-database.ts";
import type { leftInSource } from "../../postgres/source/left-in-source.ts";
import { readUnreadableSequences } from "../../postgres/source/unreadable-sequences.ts";
import { quietly } from "../../postgres/target/data-only.ts";
import { isNamed } from "../../run/fence/drop-option.ts";
import { type Claimed, reportClaimed } from "../claimed.ts";
import { reportDataOnly } from "../data-only.ts";
import { type ReportFinding, reportPlan, reportWarnings } from "../finding.ts";
import type { TargetFindings } from "../found.ts";
import { reportPostgresObjects, reportRefused, withFix } from "../name-conflicts.ts";
import { noneDropped, reportPostgresDropped } from "../rows-dropped.ts";
import { assessPostgresTarget, type PostgresReadings, reportSequences } from "./index.ts";
import { reportCollations } from "./limits.ts";
import { reportOwners } from "./lost-owners.ts";
import { reportPolicies } from "./lost-policies.ts";

/** What a copy between two PostgreSQL servers would meet. */

export interface PostgresReading {
  session: Session;
  source: PostgresReadings;
  /** Those that are copied. */
  tables: PostgresReadings["tables"];
  /** Another copy's checkpoint. */
  own: Awaited<ReturnType<typeof leftInSource>>;
  /** A sequence of that. */
  isOwn(sequence: Pick<Sequence, "schema" | "name">): boolean;
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
  { session, source, tables, own, isOwn, to, options, claimed, pgDump, dumpBytes, signal }: PostgresReading,
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
  const refused = (await readUnreadableSequences(session)).filter((sequence) => !isOwn(sequence));
  // pg_dump reads every sequence, whatever is left out.
  reportSequences(session, refused, report);
  let objects = noneSkipped(things);
  let lost: ReturnType<typeof settleLost> = [];
  if (dumps && refused.length === 0)
    await reportRefused(report, "the source's schema", async () => {
      objects = await readSkipped(session, things, own, options, { signal, dumpBytes }).catch((error: unknown) => {
        if (dumpBytes === undefined || !(error instanceof EngineError) || error.code !== "source_refused") throw error;
        report(
          "note",
          "objects_unread",
          "the source's schema",
          "it is too large to be read here: only the copy's report lists the objects of skipped tables",
        );
        return noneSkipped(things);
      });
      lost = settleLost(objects.lost, options);
    });
  const plan = await planCopy(session, objects, lost, options);
  const planned = reportPlan(plan, report);
  const { wanted } = plan;
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
    const loaded = await loadedTables(
      session,
      target,
      (await readDataTables(session)).filter(
        ({ schema, name, extension }) => extension !== undefined || kept.has(fullName(schema, name)),
      ),
      { content: "data", log: () => undefined },
    );
    reportClaimed(claimed, filled(loaded), report);
    await reportRefused(report, "the target's tables", async () => {
      const sides = { source: session, target };
      const { doubtful } = await checkDataOnly(sides, loaded, options.drop, () => false);
      for (const { table, doubts } of doubtful) reportWarnings(doubtWarnings(table, doubts), report);
    });
    await reportDataOnly(target, loaded, report, () => quietly(target, withLeaves(loaded)));
    const going = loaded.filter(({ schema, name }) => isNamed(options.drop ?? [], schema, name));
    const names = filled(going).map(({ name }) => name);
    drops = await reportPostgresDropped(target, names, options.content, report);
  } else {
    await reportOwners(session, target, wanted, report);
    await reportPolicies(session, target, wanted, options.on_object_error === "fail", report);
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
  return { empty: found.relations.length === 0, free: null, drops, objects: [...planned, ...checkpoint] };
}

const extensionsOf = (wanted: readonly Thing[], extensions: readonly string[]) => {
  const kept = new Set(wanted.flatMap(({ kind, name }) => (kind === "extension" ? [name] : [])));
  return extensions.filter((name) => kept.has(name));
};
