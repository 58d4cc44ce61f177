import { type CopyOptions, EngineError } from "../contract/index.ts";
import { fullName } from "../contract/text/full-name.ts";
import type { Catalogue } from "../mysql/catalogue/catalogue.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import { codeInTheWay, refuseReferences } from "../mysql/target/name-conflicts.ts";
import { collisions, knownTables, namedTables } from "../plan/postgres-postgres/index.ts";
import { readInventory, type Thing } from "../postgres/catalogue/inventory.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { fullNameSql } from "../postgres/driver/names.ts";
import { refuseUnknownDrops, targetFix } from "../run/fence/drop-option.ts";
import type { ReportFinding } from "./finding.ts";
import { shortList } from "./mysql/index.ts";
import { type Dropped, namedIn, reportPostgresDropped } from "./rows-dropped.ts";

/** What of the target has the names that the copy gives, and what keeps a table there that options.drop names. */

/** What the copy refuses before it writes is a blocker in its own words. */
export async function reportRefused(report: ReportFinding, object: string, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof EngineError) || error.retryable) throw error;
    report("blocker", error.code, object, ...withFix(error.message));
  }
}

/** A sentence that ends with what to do, in two. */
export function withFix(words: string): [reason: string, fix: string] {
  const at = words.search(fixes);
  return at < 0 ? [words, ""] : [words.slice(0, at), words.slice(at + 2)];
}

/** Where an error begins to say what to do. */
const fixes =
  /[:;] (?=(?:add|alter|change|choose|copy|create|disable|drop|empty|give|grant|install|leave|make|name|rename|run|set|upgrade|use|write)\b)/i;

/** Names of one schema that the copy makes, against those that are there. Answers those in the way that are to be dropped. */
export function reportInTheWay(
  schema: string,
  wanted: readonly string[],
  there: readonly string[],
  drop: readonly string[],
  report: ReportFinding,
): string[] {
  const taken = new Set(there);
  const inTheWay = wanted.filter((name) => taken.has(name));
  const dropped = namedIn(schema, inTheWay, drop);
  const refused = inTheWay.filter((name) => !dropped.includes(name)).map((name) => `${schema}.${name}`);
  if (refused.length > 0) reportTaken(refused, report);
  return dropped;
}

/** Names of options.drop that are nothing which the copy knows: it refuses them. `known`: what is there, and what is copied. */
export const reportUnmatched = (
  known: readonly string[],
  schema: string,
  drop: readonly string[],
  report: ReportFinding,
): Promise<void> =>
  reportRefused(report, "options.drop", () =>
    refuseUnknownDrops(
      drop,
      known.map((name) => ({ schema, name })),
    ),
  );

const reportTaken = (names: readonly string[], report: ReportFinding) =>
  report("blocker", "target_not_empty", shortList(names), "the target has objects of these names", targetFix);

/** `dropped`: tables of the target that stand in the way. */
export const reportMysqlReferences = (
  session: MysqlSession,
  database: string,
  dropped: readonly string[],
  report: ReportFinding,
): Promise<void> => reportRefused(report, shortList(dropped), () => refuseReferences(session, database, dropped));

/** Routines, triggers and events of the target that are called as the source's. */
export async function reportMysqlCode(
  session: MysqlSession,
  database: string,
  { others }: Catalogue,
  dropped: readonly string[],
  report: ReportFinding,
): Promise<void> {
  const code = others.filter(({ kind }) => kind !== "view" && kind !== "sequence");
  const taken = await codeInTheWay(session, database, code, new Set(dropped));
  if (taken.length > 0) reportTaken(taken, report);
}

/** Every object of the target that has the kind and name of one that is copied; `large` are the large objects among them. */
export async function reportPostgresObjects(
  wanted: readonly Thing[],
  large: readonly { kind: string; name: string }[],
  target: PostgresSession,
  { drop = [] }: CopyOptions,
  report: ReportFinding,
): Promise<Dropped> {
  const theirs = await readInventory(target, new Set());
  const tables = new Set(wanted.filter(({ kind }) => kind === "table").map(({ name }) => name));
  await reportRefused(report, "options.drop", () => knownTables(target, drop, [...tables]));
  const named = (await namedTables(target, drop)).map(({ schema, name }) => fullName(schema, name));
  const dropped = new Set(named.filter((name) => tables.has(name)));
  const going = (thing: Thing) => dropped.has(thing.relation ?? thing.name);
  const taken = collisions(
    wanted.filter(({ name }) => !isCheckpoint(name)),
    theirs.filter((thing) => !going(thing) && !isCheckpoint(thing.name)),
  ).concat(large.map(({ kind, name }) => `${kind} ${name}`));
  if (taken.length > 0) reportTaken(taken, report);
  await reportPostgresDependents(target, [...dropped], report);
  return reportPostgresDropped(target, [...dropped], undefined, report);
}

/** Rowferry's own table and what belongs to it: the copy makes what it can of one that was left there. */
const isCheckpoint = (name: string) => /(^|\.)_rowferry/.test(name);

/** What a DROP of these tables, by their full names, would need CASCADE for. */
export async function reportPostgresDependents(
  session: PostgresSession,
  dropped: readonly string[],
  report: ReportFinding,
): Promise<void> {
  if (dropped.length === 0) return;
  const rows = await session.query<{ name: string; what: string }>(
    `WITH gone AS (SELECT c.oid, c.reltype, ${fullNameSql("n.nspname", "c.relname")} AS name FROM pg_catalog.pg_class c
                     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE ${fullNameSql("n.nspname", "c.relname")} = ANY ($1::pg_catalog.text[])),
          parts AS (SELECT name, 'pg_catalog.pg_class'::pg_catalog.regclass AS class, oid FROM gone
                    UNION ALL SELECT name, 'pg_catalog.pg_type'::pg_catalog.regclass, reltype FROM gone
                    UNION ALL SELECT name, 'pg_catalog.pg_type'::pg_catalog.regclass, t.typarray FROM gone JOIN pg_catalog.pg_type t ON t.oid = gone.reltype
                    UNION ALL SELECT name, 'pg_catalog.pg_class'::pg_catalog.regclass, d.objid FROM gone JOIN pg_catalog.pg_depend d
                        ON d.refobjid = gone.oid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
                       AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype IN ('a', 'i'))
     SELECT DISTINCT parts.name, pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid) AS what
       FROM parts JOIN pg_catalog.pg_depend d ON d.refclassid = parts.class AND d.refobjid = parts.oid
       LEFT JOIN pg_catalog.pg_constraint o ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND o.oid = d.objid
       LEFT JOIN pg_catalog.pg_rewrite r ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND r.oid = d.objid
       LEFT JOIN pg_catalog.pg_attrdef f ON d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND f.oid = d.objid
      WHERE d.deptype = 'n' AND COALESCE(o.conrelid, r.ev_class, f.adrelid, d.objid) NOT IN (SELECT oid FROM parts)`,
    [dropped],
  );
  for (const name of new Set(rows.map((row) => row.name)))
    report(
      "blocker",
      "dependents_exist",
      name,
      `options.drop names it, but something else depends on it: ${shortList(rows.flatMap((row) => (row.name === name ? [row.what] : [])))}`,
      "drop that first, or name it too where it is a table that the copy makes",
    );
}

/** A target that keeps names of tables in lower case, and tells them apart by nothing else. `wanted` and `there`: names alone. */
export function reportFolded(wanted: readonly string[], there: readonly string[], report: ReportFinding): void {
  const folded = new Map<string, string>();
  const alike = wanted.flatMap((name) => {
    const other = folded.get(name.toLowerCase());
    folded.set(name.toLowerCase(), name);
    return other === undefined ? [] : [[other, name].sort().join(" and ")];
  });
  if (alike.length > 0)
    report(
      "blocker",
      "names_alike",
      shortList(alike),
      "the target does not tell names of tables apart by case (lower_case_table_names)",
      "rename one of them in the source, leave it out, or name a server with lower_case_table_names = 0",
    );
  const known = new Set(wanted);
  const taken = there.filter((name) => folded.has(name) && !known.has(name));
  if (taken.length > 0) reportTaken(taken, report);
  const changed = wanted.filter((name) => name !== name.toLowerCase()).sort();
  if (changed.length > 0)
    report(
      "note",
      "names_fold",
      shortList(changed),
      "the target keeps names of tables in lower case (lower_case_table_names)",
      "none is needed where the application's statements run there as well: names are taken in any case",
    );
}
