import { compareTables } from "../checksum/index.ts";
import { refuseDifferences, verificationWords } from "../checksum/words.ts";
import {
  type CopyHooks,
  type CopyReport,
  type CopyRequest,
  EngineError,
  type InventoryEntry,
  type Verification,
} from "../contract.ts";
import type { Catalogue, SourceTable } from "../mysql/catalogue.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { finishTable } from "../mysql/making.ts";
import { qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import type { Snapshot } from "../mysql/snapshot.ts";
import { printable } from "../postgres/names.ts";
import { workOff } from "../postgres/work.ts";
import type { ProgressAccount } from "../progress.ts";
import type { Throttle } from "../throttle.ts";
import { makeAllCode, reported } from "./code.ts";
import { readCode, type SourceCode } from "./code-source.ts";
import { copyTables, type DoneTable } from "./copy-tables.ts";
import { usePresent } from "./data-only.ts";
import { parseDefinition } from "./definition.ts";
import { addForeignKeys, findOrphans, type Keys } from "./foreign-keys.ts";
import { copyGrants, readGrants } from "./grants.ts";
import { makePlanned } from "./making.ts";
import { inventoryOf, type Planning, planTable } from "./plan.ts";
import { makeSequences, readSequences } from "./sequences.ts";
import { clearTarget, readTarget, type Target } from "./target.ts";
import { compareAll } from "./verify.ts";

/** One copy from the fence's opening to the proof: the order of all that is made. */
export interface Run {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  snapshot: Snapshot;
  catalogue: Catalogue;
  excluded: InventoryEntry[];
  fence: MysqlFence;
  /** One for each reader. */
  writers: readonly Session[];
  prefix: string;
  throttle: Throttle;
  signal: AbortSignal;
  failed(error: unknown): void;
}

type Done = Pick<CopyReport, "tables" | "inventory" | "warnings" | "verification">;

export async function copyAll(run: Run): Promise<Done> {
  const { request, hooks, progress, snapshot, catalogue, fence, prefix } = run;
  const { database } = request.source;
  const content = request.options.content ?? "all";
  const [reader, writer] = [snapshot.readers[0] as Session, run.writers[0] as Session];
  const warnings: string[] = [];
  const warn = (words: string) => {
    if (warnings.includes(printable(words))) return;
    warnings.push(printable(words));
    hooks.log("warning", printable(words));
  };
  snapshot.warnings.forEach(warn);
  for (const { note } of catalogue.unseen) warn(`${database}: ${note}`);

  progress.phase("schema");
  const target = await readTarget(writer, request.target.database);
  const crossing = reader.server.maria !== target.server.maria;
  const source = await readSource(reader, run, content);
  await clearTarget(writer, fence, target.database, request.reset ? (request.made ?? []) : [], {
    relations: [
      ...catalogue.tables.map(({ name }) => prefix + name),
      ...(prefix === "" ? source.codes.filter(({ kind }) => kind === "view").map(({ name }) => name) : []),
      ...source.sequences.map(({ name }) => name),
    ],
    others: prefix === "" ? source.codes.filter(({ kind }) => kind !== "view") : [],
    drop: request.options.drop ?? [],
    content,
    log: (message) => hooks.log("info", message),
  });
  const inventory: Inventory = new Map();
  put(inventory, await makeSequences(writer, fence, target.database, source.sequences));

  const order = [...catalogue.tables].sort((a, b) => b.dataBytes - a.dataBytes);
  progress.plan(order.map(({ name, rows, dataBytes, indexBytes }) => ({ name, rows, bytes: dataBytes + indexBytes })));
  progress.phase("copying");
  const planning: Planning = { database, server: reader.server, target, targetDatabase: target.database, prefix };
  // Bytes as they are in each column's own character set.
  for (const one of snapshot.readers) await one.run("SET SESSION character_set_results = NULL");
  const done = await copyTables({
    database,
    targetDatabase: target.database,
    workers: snapshot.readers.map((one, at) => ({ reader: one, writer: run.writers[at] as Session })),
    fence,
    progress,
    throttle: run.throttle,
    content,
    tables: order.map((table) => ({
      name: table.name,
      bytes: table.dataBytes,
      make: (session) => makeOne(run, session, planning, table, source.shown.get(table.name) ?? "", content),
    })),
    failed: run.failed,
  });
  for (const one of snapshot.readers) await one.run("SET SESSION character_set_results = utf8mb4");
  const rows = [...done.values()].reduce((sum, one) => sum + one.rows.source, 0);
  if (content !== "schema") hooks.log("info", `${rows} rows copied`);
  refuseCounts(done);

  progress.phase("constraints");
  for (const { plan, entries } of done.values()) put(inventory, [...inventoryOf(plan), ...entries]);
  if (content !== "data") await makeRest({ run, source, target, done, crossing, inventory, warn });

  progress.phase("verifying");
  const different = content === "data" ? [] : await compareAll(writer, target, done, crossing);
  put(inventory, different);
  for (const { kind, name, note } of different) warn(`${kind} ${name}: ${note}`);
  if (content !== "schema") hooks.log("info", "row counts of source and target are equal");
  const verification =
    request.options.verify === "checksum" && content !== "schema" ? await checksums(run, done, target) : undefined;
  await snapshot.unlock();
  if (verification !== undefined) {
    verificationWords(verification).forEach(warn);
    refuseDifferences(verification);
    hooks.log("info", `${verification.rows} rows of source and target have equal hashes`);
  }
  const open = [...inventory.values()].filter(({ outcome }) => outcome === "reported").length;
  if (open > 0) warn(`${open} objects of the source are not carried over as they are; the report names each`);
  const unseen = catalogue.unseen.map(
    ({ kind, name, note }): InventoryEntry => ({ kind, name, outcome: "reported", note }),
  );
  return {
    tables: catalogue.tables.map(({ name }) => ({
      source: `${database}.${name}`,
      target: `${target.database}.${prefix}${name}`,
      rows: done.get(name)?.rows ?? { source: 0, target: 0 },
    })),
    inventory: [...inventory.values(), ...run.excluded, ...unseen],
    warnings,
    ...(verification === undefined ? {} : { verification }),
  };
}

/** Adds entries; what was said before of the same object gives way. */
function put(inventory: Inventory, entries: readonly InventoryEntry[]): void {
  for (const entry of entries) inventory.set(`${entry.kind}\0${entry.name}`, entry);
}

type Inventory = Map<string, InventoryEntry>;

interface Rest {
  run: Run;
  source: Awaited<ReturnType<typeof readSource>>;
  target: Target;
  done: ReadonlyMap<string, DoneTable>;
  crossing: boolean;
  /** Added to. */
  inventory: Inventory;
  warn(words: string): void;
}

/** All that is made when the rows of every table are there. */
async function makeRest({ run, source, target, done, crossing, inventory, warn }: Rest): Promise<void> {
  const { request, fence, prefix, catalogue } = run;
  const { database } = request.source;
  const writer = run.writers[0] as Session;
  const copied = new Set(catalogue.tables.map(({ name }) => name));
  const keys: Keys = { database, targetDatabase: target.database, prefix, copied };
  for (const { plan } of done.values()) {
    const entries = await addForeignKeys(writer, fence, plan, keys);
    put(inventory, entries);
    for (const { name, outcome, note } of entries) if (outcome === "reported") warn(`foreign key ${name}: ${note}`);
  }
  await workOff(
    run.writers,
    [...done.values()].map(({ plan }) => ({
      weight: plan.source.dataBytes,
      async run(session: Session) {
        if (request.options.content !== "schema") (await findOrphans(session, plan, keys)).forEach(warn);
        await finishTable(session, fence, [target.database, plan.name], plan.source.comment);
        return [];
      },
    })),
    run.failed,
  );
  put(inventory, await makeCodeOf(run, writer, target, source.codes, crossing));
  const grants = { database: target.database, prefix, copied, accounts: target.accounts };
  put(inventory, await copyGrants(writer, fence, source.grants, grants));
  if (source.collation !== target.collation)
    warn(
      `the source database's default collation is ${source.collation}, the target's ${target.collation}: tables made later will differ; ALTER DATABASE there to have it alike`,
    );
}

/** What is read before the sessions are set to give bytes. */
async function readSource(reader: Session, { request, catalogue }: Run, content: string) {
  const { database } = request.source;
  const shown = new Map<string, string>();
  for (const { name } of catalogue.tables) {
    const [[, text] = []] = await reader.query(`SHOW CREATE TABLE ${qualified(database, name)}`);
    shown.set(name, text ?? "");
  }
  const [[collation] = []] = await reader.query("SELECT @@collation_database");
  const others = new Map(
    catalogue.others.map(({ kind, name }) => [`${kind === "package" ? "package" : kind} ${name}`, true]),
  );
  const selected = ({ kind, name }: SourceCode) => others.has(`${kind === "package body" ? "package" : kind} ${name}`);
  if (content === "data") return { shown, codes: [], sequences: [], grants: [], collation: collation ?? "" };
  return {
    shown,
    codes: (await readCode(reader, database)).filter(selected),
    sequences: await readSequences(
      reader,
      database,
      catalogue.others.flatMap(({ kind, name }) => (kind === "sequence" ? [name] : [])),
    ),
    grants: await readGrants(reader, database),
    collation: collation ?? "",
  };
}

async function makeOne(
  run: Run,
  session: Session,
  planning: Planning,
  table: SourceTable,
  shown: string,
  content: "all" | "schema" | "data",
) {
  const definition = parseDefinition(
    shown,
    table.foreignKeys.map(({ name }) => name),
  );
  const plan = (without: Parameters<typeof planTable>[4]) => planTable(planning, table, shown, definition, without);
  if (content === "data") {
    const found = plan(new Set());
    await usePresent(session, run.fence, planning.targetDatabase, found, run.request.options.drop ?? []);
    return found;
  }
  return makePlanned(session, run.fence, planning.targetDatabase, plan);
}

/** Errors: `row_count_mismatch` with every table that differs. */
function refuseCounts(done: ReadonlyMap<string, DoneTable>): void {
  const different = [...done].filter(([, { rows }]) => rows.source !== rows.target);
  if (different.length === 0) return;
  const words = different
    .slice(0, 20)
    .map(([table, { rows }]) => `${table} has ${rows.source} rows in the source and ${rows.target} in the target`);
  const more = different.length > 20 ? `; and ${different.length - 20} more tables` : "";
  throw new EngineError("row_count_mismatch", `${words.join("; ")}${more}`);
}

async function makeCodeOf(
  run: Run,
  session: Session,
  target: Target,
  codes: readonly SourceCode[],
  crossing: boolean,
): Promise<InventoryEntry[]> {
  if (run.prefix !== "")
    return codes.map((code) => reported(code, "its text names tables that got a prefix by the option schemas"));
  const work = {
    session,
    fence: run.fence,
    database: run.request.source.database,
    targetDatabase: target.database,
    crossing,
    definers: run.request.options.definers ?? ("keep" as const),
    accounts: target.accounts,
    self: target.self,
  };
  const enabled = codes.filter(({ kind, shown }) => kind === "event" && / ENABLE\b/.test(shown));
  if (enabled.length > 0)
    run.hooks.log(
      "warning",
      `${enabled.length} events are enabled in the target, as they are in the source: they run there where event_scheduler is on`,
    );
  return makeAllCode(work, codes);
}

async function checksums(run: Run, done: ReadonlyMap<string, DoneTable>, target: Target): Promise<Verification> {
  const { database } = run.request.source;
  return compareTables(
    { engine: "mysql", sessions: run.snapshot.readers },
    { engine: "mysql", sessions: run.writers },
    [...done.values()].map(({ plan }) => ({
      source: [database, plan.source.name] as const,
      target: [target.database, plan.name] as const,
      columns: plan.source.columns
        .filter(({ name }) => plan.columns.some((column) => column.name === name))
        .map(({ name }) => ({ source: name, target: name })),
    })),
    { jobs: run.snapshot.readers.length, signal: run.signal, throttle: run.throttle },
  );
}
