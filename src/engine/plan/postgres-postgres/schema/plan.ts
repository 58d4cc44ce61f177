import { createHash, type Hash } from "node:crypto";
import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { type Address, readAddresses } from "../../../postgres/catalogue/address.ts";
import { packInventory, thingKey } from "../../../postgres/catalogue/inventory.ts";
import { readSelectable, unselected } from "../../../postgres/catalogue/selectable.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import type { DumpEntry } from "../../../postgres/dump/archive.ts";
import { type DumpOptions, dumpSchema } from "../../../postgres/dump/dump.ts";
import type { HeldLocks } from "../../../postgres/source/holding.ts";
import { leftInSource } from "../../../postgres/source/left-in-source.ts";
import { openSource, type PostgresSource, type SourceOptions } from "../../../postgres/source/source.ts";
import { transacted } from "../../../run/fence/fence.ts";
import { filter, map } from "../../../run/memory/iterators.ts";
import { batches, createPacked, type Packed } from "../../../run/memory/packed.ts";
import type { CopyWorker } from "../copy/worker.ts";
import { createSteps, needsAddress, type Stage, type Step, withoutNaming, withRefusal } from "./entries.ts";
import { settleLost } from "./lost-tables.ts";
import { noneSkipped, type SkippedEntries, skipEntries, type Things } from "./selected-entries.ts";

/** What is to be copied, as the snapshot and the options have it. */
export interface SchemaPlan {
  opened: PostgresSource;
  /** Where only rows are copied, those that fill materialised views. */
  steps: Stages;
  /** Of `content` and the steps. */
  hash: Hash;
  things: Things;
  /** Without what the options leave out. */
  wanted: Things;
  tables: readonly PostgresSource["tables"][number][];
  sequences: PostgresSource["sequences"];
  /** What the options leave out. */
  notes: InventoryEntry[];
  /** Of publications that lose a table to them. */
  reduced: InventoryEntry[];
  warnings: string[];
  /** The locks on the source's tables. */
  held: HeldLocks;
}

/** The steps of each stage in their order. A database may have very many. */
export type Stages = Record<Exclude<Stage, "never">, Packed<Step>>;

interface Reading {
  source: Session;
  workers: readonly CopyWorker[];
  applicationName: string;
  options: Pick<
    CopyOptions,
    "include" | "exclude" | "content" | "source_locks" | "blocking_timeout" | "on_object_error"
  >;
  signal: AbortSignal;
  /** As in Opening (source.ts). */
  open: SourceOptions["open"];
  giveUp: SourceOptions["giveUp"];
  log: SourceOptions["log"];
  /** Three times: the snapshot is open, the schema is read, its addresses are known. */
  did(): void;
}

const isSelecting = ({ include, exclude }: Pick<CopyOptions, "include" | "exclude">): boolean =>
  include !== undefined || exclude !== undefined;

type Checkpoint = Awaited<ReturnType<typeof leftInSource>>;

/** Oids of the tables and views that the options leave out. `own`: another copy's checkpoint. Errors: `option_unmatched`. */
async function readUnselected(source: Session, own: Checkpoint, options: Reading["options"]): Promise<Set<number>> {
  if (!isSelecting(options)) return new Set();
  const all = await readSelectable(source);
  return unselected(
    all.filter(({ oid }) => oid !== own?.oid),
    options,
  );
}

/**
 * What a copy leaves out of `things`, of a source whose snapshot nobody holds. Errors: `option_unmatched`, those of dump.ts.
 */
export async function readSkipped(
  source: Session,
  things: Things,
  own: Checkpoint,
  options: CopyOptions,
  { signal, dumpBytes }: { signal: AbortSignal; dumpBytes?: number | undefined },
): Promise<SkippedEntries> {
  const without = await readUnselected(source, own, options);
  if (without.size === 0) return noneSkipped(things);
  return transacted(source, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", async () => {
    const [exported] = await source.query<{ snapshot: string }>("SELECT pg_catalog.pg_export_snapshot() AS snapshot");
    const entries = await dumpSchema(source, {
      snapshot: exported?.snapshot ?? "",
      applicationName: "rowferry assess",
      without: own === undefined ? [] : [own.table],
      env: process.env,
      signal,
      ...(dumpBytes === undefined ? {} : { memory: dumpBytes }),
    });
    return skipEntries(await readSteps(source, entries, (step) => step), things, without);
  });
}

/** Opens the snapshot on every session of the source, and reads what it holds. Errors: `option_unmatched`, `option_invalid`, those of source.ts and dump.ts. */
export async function readPlan(reading: Reading): Promise<SchemaPlan> {
  const { source, workers, applicationName, options, signal, open, giveUp, log, did } = reading;
  const foreign = await leftInSource(source);
  const selects = isSelecting(options);
  let without: ReadonlySet<number> = new Set();
  const {
    source: opened,
    found: { things, steps: all },
    held,
  } = await openSource(
    source,
    workers.map((worker) => worker.source),
    (opened) =>
      readSchema(source, {
        snapshot: opened.snapshot,
        applicationName,
        without: foreign?.table,
        parts: foreign?.parts ?? new Set(),
        // What they need decides on what is left out.
        keep: (step) => (selects ? step : withoutNaming(step)),
        env: process.env,
        signal,
        did,
      }),
    {
      async left() {
        without = await readUnselected(source, foreign, options);
        return without;
      },
      locks: options.source_locks,
      blockingTimeout: options.blocking_timeout,
      open,
      giveUp,
      log,
    },
  );
  const skipped = selects ? skipEntries(all, things, without) : noneSkipped(things);
  const { gone, notes, reduced, lost, kept: wanted } = skipped;
  const warnings = settleLost(lost, options).map(({ name, reason }) => `table ${name} is not copied: ${reason}`);
  const kept = map(
    filter(all, ({ entry }) => !gone.has(entry.id)),
    withoutNaming,
  );
  const out = new Set(notes.filter(({ kind }) => kind === "table" || kind === "sequence").map(thingKey));
  const isIn = (kind: string, { schema, name }: { schema: string; name: string }) => {
    const own = fullName(schema, name);
    return !foreign?.parts.has(thingKey({ kind, name: own })) && !out.has(thingKey({ kind, name: printable(own) }));
  };
  return {
    opened,
    ...sorted(kept, options),
    things,
    wanted,
    tables: opened.tables.filter((table) => isIn("table", table)),
    sequences: opened.sequences.filter((sequence) => isIn("sequence", sequence)),
    notes: foreign === undefined ? notes : [foreign.entry, ...notes],
    reduced,
    warnings,
    held,
  };
}

function sorted(
  all: Iterable<Step>,
  { content = "all", on_object_error }: Reading["options"],
): Pick<SchemaPlan, "steps" | "hash"> {
  const hash = createHash("sha256").update(content);
  const stages: Stages = {
    before: createPacked(),
    after: createPacked(),
    rights: createPacked(),
    filling: createPacked(),
    watching: createPacked(),
  };
  for (const step of all) {
    const { stage, entry } = step;
    if (stage === "never" || (content === "data" && stage !== "filling")) continue;
    if (content !== "data") hash.update(`\0${entry.kind}\0${entry.create}`);
    stages[stage].push(on_object_error === "fail" ? step : withRefusal(step));
  }
  return { steps: stages, hash };
}

type SchemaOptions = Omit<DumpOptions, "without"> & {
  without: string | undefined;
  parts: ReadonlySet<string>;
  keep(step: Step): Step;
  did(): void;
};

/** What the snapshot holds, by pg_dump and by our own reading of the catalogues. */
async function readSchema(source: Session, { without, parts, keep, did, ...options }: SchemaOptions) {
  did();
  const entries = dumpSchema(source, { ...options, without: without === undefined ? [] : [without] });
  const things = packInventory(source, parts);
  // Both to their end, so that neither goes on in a transaction that is rolled back.
  await Promise.allSettled([entries, things]);
  did();
  const steps = await readSteps(source, await entries, keep);
  did();
  return { steps, things: await things };
}

/** Entries whose addresses are asked for together. */
const atOnce = 2_000;

async function readSteps(
  source: Session,
  entries: Packed<DumpEntry>,
  keep: (step: Step) => Step,
): Promise<Packed<Step>> {
  const steps = createPacked<Step>();
  const addresses = new Map<string, Address>();
  const stepOf = createSteps(addresses);
  for (const some of batches(entries, atOnce)) {
    addresses.clear();
    for (const [id, address] of await readAddresses(source, some.filter(needsAddress))) addresses.set(id, address);
    for (const entry of some) steps.push(keep(stepOf(entry)));
  }
  return steps;
}
