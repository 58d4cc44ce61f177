import { engineName, mysqlEngine } from "../../engine/contract/text/engine-name.ts";
import { printable } from "../../engine/contract/text/printable.ts";
import { markAlikeLabels } from "../../engine/mysql/catalogue/alike-labels.ts";
import { type Catalogue, readCatalogue } from "../../engine/mysql/catalogue/catalogue.ts";
import { readExactLabels } from "../../engine/mysql/catalogue/exact-labels.ts";
import { qualified } from "../../engine/mysql/driver/names.ts";
import type { Session } from "../../engine/mysql/driver/session.ts";
import { errorNumber } from "../../engine/mysql/driver/write-session.ts";
import { withoutCheckpoint } from "../../engine/mysql/source/selected.ts";
import { openSnapshot, type Snapshot } from "../../engine/mysql/source/snapshot.ts";
import { priorityOf, splitTable } from "../../engine/mysql/source/split.ts";
import { readSource } from "../../engine/plan/mysql-mysql/copy/source.ts";
import { readTarget } from "../../engine/plan/mysql-mysql/copy/target.ts";
import { missing } from "../../engine/plan/mysql-mysql/finish/create-code.ts";
import { planDefinition } from "../../engine/plan/mysql-mysql/tables/plan-tables.ts";
import type { TablePlan } from "../../engine/plan/mysql-mysql/tables/table-plan.ts";
import { formatSnapshot } from "../../engine/report/format-snapshot.ts";
import { type Task, together, workOff } from "../../engine/run/pool.ts";
import type { RowChecksum } from "../../engine/verify/checksum/table-checksums.ts";
import { BackupError } from "../contract.ts";
import type { ArchivePart, TableRows } from "../manifest-schema.ts";
import { writePart } from "../parts.ts";
import { stoppable } from "../stoppable.ts";
import { once } from "../streams.ts";
import type { DumpWork, WrittenPart } from "../work.ts";
import { type Checksums, createChecksums } from "./checksums.ts";
import { codeStatements, unlikeInClient } from "./code.ts";
import { databaseInventory } from "./inventory.ts";
import { type RowRange, writeRows } from "./rows.ts";
import { sqlFile } from "./sql-file.ts";
import { databaseStatement, laterStatements, sequenceStatements, settings, tableStatement } from "./statements.ts";

/**
 * MySQL and MariaDB: SQL for the mysql client in parts, in the order of their names. Tables without what needs their rows, the rows
 * by several sessions of one snapshot, then indexes, foreign keys and code.
 */

const program = "rowferry backup";

export function writeMysql(work: DumpWork): Promise<WrittenPart> {
  const { source, account, log } = work;
  const { database } = source;
  const warnings: string[] = [];
  const warn = (message: string) => {
    warnings.push(printable(message));
    log("warning", printable(message));
  };
  return stoppable(work.signal, async ({ signal, stop }) => {
    account.phase("connecting");
    const snapshot = await openSnapshot(source, work.jobs, program, signal, stop, {
      log: (message) => log("info", message),
    });
    try {
      const reader = snapshot.readers[0] as Session;
      snapshot.warnings.forEach(warn);
      log("info", `Snapshot of the source: ${printable(formatSnapshot(snapshot.facts))}`);
      const read = await readSchema(snapshot, database);
      for (const { note } of read.catalogue.unseen) warn(`${database}: ${note}`);
      for (const { kind, name, doubt } of read.left)
        warn(`${kind} ${name} is not in the backup: ${doubt ?? "the user may not read its text"}`);
      for (const { kind, name } of read.unlike)
        warn(
          `${kind} ${name}: its text has -- before a control character, which the server reads as a comment and the mysql client may not. rowferry restore makes it; the mysql client may stop there`,
        );
      for (const name of read.broken)
        warn(
          `view ${name} cannot be read in the source, for want of what it refers to or of its definer's rights: a restore makes it last, if it can`,
        );
      for (const { item, note } of read.plans.flatMap(({ translated }) => translated.notes))
        warn(`${item === undefined ? "table" : item.kind} ${item?.name ?? ""}: ${note}`);
      const { tables } = read.catalogue;
      account.total({
        bytes: tables.reduce((sum, { dataBytes }) => sum + dataBytes, 0),
        rows: tables.reduce((sum, { rows }) => sum + rows, 0),
        tables: tables.length,
      });
      account.phase("copying");
      // Bytes as they are in each column's own character set.
      for (const one of snapshot.readers) await one.run("SET SESSION character_set_results = NULL");
      const writing = { ...work.writing, signal };
      const schema = await writeStatements(writing, { name: "1-schema.sql", holds: "schema" }, read.before);
      const checksums = work.checksums
        ? await createChecksums(snapshot.definitions, database, tables, "own")
        : undefined;
      const rows = await writeAllRows({ ...work, writing }, snapshot.readers, read.plans, checksums, stop);
      const finish = await writeStatements(writing, { name: "3-finish.sql", holds: "finish" }, read.after);
      await snapshot.unlock();
      return {
        source: { product: engineName(mysqlEngine(reader.server)), version: reader.server.versionText, database },
        tools: {},
        position: snapshot.facts,
        parts: [schema, ...rows.parts, finish],
        tables: rows.tables,
        ...(checksums && { checksums: checksums.method }),
        inventory: read.inventory,
        warnings,
      };
    } finally {
      await snapshot.close();
    }
  });
}

async function readSchema({ readers, definitions }: Snapshot, database: string) {
  const reader = readers[0] as Session;
  const found = await readCatalogue(definitions, database, () => true, reader);
  const { whole: catalogue } = await withoutCheckpoint(reader, database, found, () => true);
  await readExactLabels(reader, database, catalogue.tables);
  await markAlikeLabels(reader, catalogue.tables);
  const source = await readSource(definitions, database, catalogue, "all", () => undefined);
  // A server like the source's.
  const target = await readTarget(reader, database);
  const planning = { database, server: reader.server, target, targetDatabase: database, prefix: "" };
  const plans = catalogue.tables.map((table) => planDefinition(planning, table, source).plan(new Set()));
  const columns = new Map(
    catalogue.others.flatMap(({ name, view }) => (view === undefined ? [] : [[name, view.columns]])),
  );
  const broken = await brokenViews(reader, database, catalogue);
  const code = codeStatements(source.codes, { database, server: reader.server, columns, broken, default: target });
  const left = new Set([
    ...code.left.map(({ kind, name }) => `${kind} ${name}`),
    ...[...broken].map((name) => `view ${name}`),
  ]);
  return {
    ...{ catalogue, plans, broken, left: code.left, unlike: unlikeInClient(source.codes) },
    inventory: databaseInventory(catalogue).filter(({ kind, name }) => !left.has(`${kind} ${name}`)),
    before: [
      ...settings,
      databaseStatement(target.charset, target.collation),
      ...source.sequences.flatMap(sequenceStatements),
      ...plans.map(tableStatement),
    ],
    after: [...settings, ...laterStatements(plans, database), ...code.statements],
  };
}

/** A server keeps a view whose tables are gone, and makes none. */
async function brokenViews(reader: Session, database: string, { others }: Catalogue): Promise<Set<string>> {
  const broken = new Set<string>();
  for (const { kind, name } of others) {
    if (kind !== "view") continue;
    await reader.query(`SELECT 1 FROM ${qualified(database, name)} LIMIT 0`).catch((error: unknown) => {
      if (errorNumber(error) === undefined) throw error;
      if (missing.has(errorNumber(error) ?? 0)) broken.add(name);
    });
  }
  return broken;
}

async function writeStatements(
  writing: DumpWork["writing"],
  about: Pick<ArchivePart, "name" | "holds">,
  statements: readonly string[],
): Promise<ArchivePart> {
  const { file, longest } = sqlFile(statements);
  return { ...(await writePart(writing, about, once(file))), longest };
}

/** Tables of at most so many bytes share a part. */
const smallBytes = 1 << 20;
const togetherBytes = 8 << 20;
const mostTogether = 200;

async function writeAllRows(
  { writing, account, source: { database } }: DumpWork,
  readers: readonly Session[],
  plans: readonly TablePlan[],
  checksums: Checksums | undefined,
  failed: (error: unknown) => void,
): Promise<{ parts: ArchivePart[]; tables: TableRows[] }> {
  const parts: ArchivePart[] = [];
  const found = new Map<TablePlan, RowChecksum | undefined>();
  const counted = new Map<TablePlan, number>(plans.map((plan) => [plan, 0]));
  let made = 0;
  const write = (ranges: readonly RowRange[], weight: number, then: () => Task<Session>[]): Task<Session> => ({
    weight,
    async run(reader) {
      const name = `2-rows-${String(++made).padStart(6, "0")}.sql`;
      const { part, counts } = await writeRows(writing, reader, name, ranges);
      parts.push(part);
      for (const [at, { plan }] of ranges.entries()) counted.set(plan, (counted.get(plan) ?? 0) + (counts[at] ?? 0));
      account.rows(part.rows ?? 0);
      return then();
    },
  });
  const check = (plan: TablePlan): Task<Session> => ({
    weight: plan.source.dataBytes / 2,
    async run(reader) {
      const rows = counted.get(plan) ?? Number.NaN;
      found.set(plan, await checkCount(reader, database, plan, rows, checksums));
      account.table();
    },
  });
  const large = (plan: TablePlan): Task<Session> => ({
    weight: plan.source.dataBytes,
    async run(reader) {
      const ranges = await splitTable(reader, database, plan.source);
      let left = ranges.length;
      return ranges.map(({ where }) =>
        write([{ plan, where }], plan.source.dataBytes / ranges.length, () => (--left === 0 ? [check(plan)] : [])),
      );
    },
  });
  const isSmall = ({ source, history }: TablePlan) => source.dataBytes < smallBytes && !history;
  // MySQL warns of a transaction that writes to tables of several storage engines.
  const engines = new Set(plans.map(({ source }) => source.engine));
  const groups = [...engines].flatMap((engine) =>
    together(
      plans.filter((plan) => isSmall(plan) && plan.source.engine === engine),
      { weigh: ({ source }) => source.dataBytes, mostWeight: togetherBytes, most: mostTogether },
    ),
  );
  await workOff(
    readers,
    [
      ...plans.filter((plan) => !isSmall(plan)).map(large),
      ...groups.map((group) =>
        write(
          group.map((plan) => ({ plan, where: undefined })),
          group.reduce((sum, { source }) => sum + source.dataBytes, 0),
          () => group.map(check),
        ),
      ),
    ],
    failed,
  );
  return {
    parts: parts.sort((a, b) => (a.name < b.name ? -1 : 1)),
    tables: [...counted]
      .map(([plan, rows]) => {
        const checksum = found.get(plan);
        return { name: plan.name, rows, ...(checksum && { checksum }) };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** The checksum of the table's rows. Errors: `row_count_mismatch` where the ranges of a table were not all of it. */
async function checkCount(
  reader: Session,
  database: string,
  plan: TablePlan,
  rows: number,
  checksums: Checksums | undefined,
): Promise<RowChecksum | undefined> {
  const found = await checksums?.read(reader, plan.source.name);
  if (found?.rows === rows) return found.checksum;
  const from = plan.select.slice(plan.select.lastIndexOf(` FROM ${qualified(database, plan.source.name)}`));
  const [[count] = []] = await reader.query(`SELECT ${priorityOf(plan.source)}COUNT(*)${from}`);
  // The rows of a system-versioned table's past are counted, and not hashed.
  if (Number(count) === rows) return found?.checksum;
  throw new BackupError(
    "row_count_mismatch",
    `table ${printable(plan.name)}: ${rows} rows were read, and it has ${count}. Run the backup again`,
  );
}
