import type { CopyOptions, InventoryEntry } from "../contract.ts";
import { readAddresses } from "../postgres/address.ts";
import type { Session } from "../postgres/connection.ts";
import type { Held } from "../postgres/holding.ts";
import { readInventory, type Thing, thingKey } from "../postgres/inventory.ts";
import { leftInSource } from "../postgres/left-in-source.ts";
import { type Opening, openSource, type Source } from "../postgres/source.ts";
import { fullName } from "../text/full-name.ts";
import { printable } from "../text/printable.ts";
import { type DumpOptions, dumpSchema } from "./dump.ts";
import { forgetNaming, needsAddress, type Step, stepsOf, withRefusals } from "./entries.ts";
import { leaveOut, readSelectable, unselected } from "./leave-out.ts";
import type { Worker } from "./worker.ts";

/** What is to be copied, as the snapshot and the options have it. */
export interface Plan {
  opened: Source;
  steps: Step[];
  things: Thing[];
  tables: Source["tables"];
  sequences: Source["sequences"];
  /** What the options leave out. */
  notes: InventoryEntry[];
  /** The locks on the source's tables. */
  held: Held;
}

export interface Reading {
  source: Session;
  workers: readonly Worker[];
  applicationName: string;
  options: Pick<CopyOptions, "include" | "exclude" | "source_locks" | "blocking_timeout" | "on_object_error">;
  signal: AbortSignal;
  /** As in Opening (source.ts). */
  open: Opening["open"];
  giveUp: Opening["giveUp"];
  log: Opening["log"];
}

/** Opens the snapshot on every session of the source, and reads what it holds. Errors: `option_unmatched`, those of source.ts and dump.ts. */
export async function readPlan(reading: Reading): Promise<Plan> {
  const { source, workers, applicationName, options, signal, open, giveUp, log } = reading;
  const foreign = await leftInSource(source);
  const selects = options.include !== undefined || options.exclude !== undefined;
  let without: ReadonlySet<number> = new Set();
  const {
    source: opened,
    found,
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
        env: process.env,
        signal,
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
  const { things } = found;
  const all = stepsOf(found.entries, found.addresses);
  const steps = options.on_object_error === "fail" ? all : withRefusals(all);
  const tables = opened.tables.filter(({ oid }) => oid !== foreign?.oid);
  const sequences = opened.sequences.filter(
    ({ schema, name }) => !foreign?.parts.has(thingKey({ kind: "sequence", name: fullName(schema, name) })),
  );
  const left = foreign === undefined ? [] : [foreign.entry];
  if (!selects) {
    forgetNaming(steps);
    return { opened, steps, things, tables, sequences, notes: left, held };
  }
  const { kept, notes } = leaveOut(steps, things, without);
  forgetNaming(kept);
  const out = new Set(notes.map(thingKey));
  const isIn = (kind: string, { schema, name }: { schema: string; name: string }) =>
    !out.has(thingKey({ kind, name: printable(fullName(schema, name)) }));
  return {
    opened,
    steps: kept,
    things,
    tables: tables.filter((table) => isIn("table", table)),
    sequences: sequences.filter((sequence) => isIn("sequence", sequence)),
    notes: [...left, ...notes],
    held,
  };
}

/** What the snapshot holds, by pg_dump and by our own reading of the catalogues. */
async function readSchema(
  source: Session,
  options: Omit<DumpOptions, "without"> & { without: string | undefined; parts: ReadonlySet<string> },
) {
  const { without, parts } = options;
  const entries = dumpSchema(source, { ...options, without: without === undefined ? [] : [without] });
  const things = readInventory(source, parts);
  // Both to their end, so that neither goes on in a transaction that is rolled back.
  await Promise.allSettled([entries, things]);
  const addresses = await readAddresses(source, (await entries).filter(needsAddress));
  return { entries: await entries, things: await things, addresses };
}
