import { createHash, type Hash } from "node:crypto";
import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { type Address, readAddresses } from "../../../postgres/catalogue/address.ts";
import { packInventory, type Thing, thingKey } from "../../../postgres/catalogue/inventory.ts";
import { readSelectable, unselected } from "../../../postgres/catalogue/selectable.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import type { DumpEntry } from "../../../postgres/dump/archive.ts";
import { type DumpOptions, dumpSchema } from "../../../postgres/dump/dump.ts";
import type { HeldLocks } from "../../../postgres/source/holding.ts";
import { leftInSource } from "../../../postgres/source/left-in-source.ts";
import { openSource, type PostgresSource, type SourceOptions } from "../../../postgres/source/source.ts";
import { filter, map } from "../../../run/memory/lazy.ts";
import { batches, createPacked, type Packed } from "../../../run/memory/packed.ts";
import type { CopyWorker } from "../copy/worker.ts";
import { createSteps, needsAddress, type Stage, type Step, withoutNaming, withRefusal } from "./entries.ts";
import { settleLost } from "./lost-tables.ts";
import { skipEntries } from "./selected-entries.ts";

/** What is to be copied, as the snapshot and the options have it. */
export interface SchemaPlan {
  opened: PostgresSource;
  /** Where only rows are copied, those that fill materialised views. */
  steps: Stages;
  /** Of `content` and the steps. */
  hash: Hash;
  things: Packed<Thing>;
  /** Without what the options leave out. */
  wanted: Packed<Thing>;
  tables: PostgresSource["tables"];
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

export interface Reading {
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

/** Opens the snapshot on every session of the source, and reads what it holds. Errors: `option_unmatched`, `option_invalid`, those of source.ts and dump.ts. */
export async function readPlan(reading: Reading): Promise<SchemaPlan> {
  const { source, workers, applicationName, options, signal, open, giveUp, log, did } = reading;
  const foreign = await leftInSource(source);
  const selects = options.include !== undefined || options.exclude !== undefined;
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
        if (!selects) return without;
        const all = await readSelectable(source);
        without = unselected(
          all.filter(({ oid }) => oid !== foreign?.oid),
          options,
        );
        return without;
      },
      locks: options.source_locks,
      blockingSeconds: options.blocking_timeout,
      open,
      giveUp,
      log,
    },
  );
  const tables = opened.tables.filter(({ oid }) => oid !== foreign?.oid);
  const sequences = opened.sequences.filter(
    ({ schema, name }) => !foreign?.parts.has(thingKey({ kind: "sequence", name: fullName(schema, name) })),
  );
  const left = foreign === undefined ? [] : [foreign.entry];
  if (!selects)
    return {
      opened,
      ...sorted(all, options),
      things,
      wanted: things,
      tables,
      sequences,
      notes: left,
      reduced: [],
      warnings: [],
      held,
    };
  const { gone, notes, reduced, lost, kept: wanted } = skipEntries(all, things, without);
  const warnings = settleLost(lost, options).map(({ name, reason }) => `table ${name} is not copied: ${reason}`);
  const kept = map(
    filter(all, ({ entry }) => !gone.has(entry.id)),
    withoutNaming,
  );
  const out = new Set(notes.filter(({ kind }) => kind === "table" || kind === "sequence").map(thingKey));
  const isIn = (kind: string, { schema, name }: { schema: string; name: string }) =>
    !out.has(thingKey({ kind, name: printable(fullName(schema, name)) }));
  return {
    opened,
    ...sorted(kept, options),
    things,
    wanted,
    tables: tables.filter((table) => isIn("table", table)),
    sequences: sequences.filter((sequence) => isIn("sequence", sequence)),
    notes: [...left, ...notes],
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
