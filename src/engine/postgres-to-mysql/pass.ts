import { refuseDifferences, verificationWords } from "../checksum/words.ts";
import type { CopyHooks, CopyReport, CopyRequest, InventoryEntry } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { qualified } from "../mysql/names.ts";
import type { Session as Writer } from "../mysql/session.ts";
import type { Session as Reader } from "../postgres/connection.ts";
import { printable } from "../postgres/names.ts";
import { openSource } from "../postgres/source.ts";
import { workOff } from "../postgres/work.ts";
import type { ProgressAccount } from "../progress.ts";
import { createThrottle } from "../throttle.ts";
import { readTables, tableName } from "./catalogue.ts";
import { choose, holdViews } from "./choose.ts";
import { copyBufferBytes } from "./copy-out.ts";
import type { Worker } from "./copying.ts";
import { addForeignKey, endTable, setCounter } from "./finishing.ts";
import { planForeignKeys } from "./foreign-keys.ts";
import { readObjects } from "./objects.ts";
import { planAll } from "./planning.ts";
import { dataWarnings, isLostKey, objectEntries, sequenceEntries } from "./report.ts";
import { createScheme, prefixOf } from "./scheme.ts";
import { readSequences } from "./sequences.ts";
import { tableTasks } from "./tables.ts";
import { makePlanned, readFacts, tablesToDrop } from "./target.ts";
import { compareValues } from "./verification.ts";

/** One pass from the snapshot to the proof: the order of all that is read, made and compared. */

export interface Run {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  signal: AbortSignal;
  fence: MysqlFence;
  first: Reader;
  openReader(): Promise<Reader>;
  openWriter(): Promise<Writer>;
  fail(error: unknown): void;
}

type Done = Pick<CopyReport, "target" | "tables" | "inventory" | "warnings" | "size" | "verification">;

export async function copyAll(run: Run): Promise<Done> {
  const { request, hooks, progress, fence, first } = run;
  const { options } = request;
  const warnings: string[] = [];
  const warn = (words: string) => {
    if (warnings.includes(printable(words))) return;
    warnings.push(printable(words));
    hooks.log("warning", printable(words));
  };

  progress.phase("schema");
  const target = await run.openWriter();
  const others = await Promise.all(Array.from({ length: options.jobs - 1 }, run.openReader));
  const { source, found } = await openSource(
    first,
    others,
    async (opened) => ({ opened, tables: await readTables(first), objects: await readObjects(first) }),
    options.source_locks,
  );
  const chosen = choose(found.tables, request);
  await holdViews(chosen.tables, [first, ...others]);

  let facts = await readFacts(target, request.target.database);
  const wanted = chosen.tables.map((table) => `${prefixOf(table.schema, options.schemas)}${table.name}`);
  const doomed = tablesToDrop(facts, wanted, options.drop).filter((name) => name !== "_rowferry");
  for (const name of doomed) {
    await fence.guard(target);
    await target.run(`DROP TABLE ${qualified(facts.database, name)}`);
    hooks.log("info", `table ${printable(name)} of the target was dropped, as options.drop says`);
  }
  facts = { ...facts, relations: facts.relations.filter((name) => !doomed.includes(name)) };

  const scheme = createScheme(facts, chosen.tables, options.schemas);
  const { states, replan } = planAll({ options, version: first.version, source }, scheme, chosen.tables, found.tables);
  progress.plan(states.map(({ plan, rows }) => ({ name: tableName(plan.source), rows: rows.rows, bytes: rows.bytes })));
  for (const { plan } of states) await makePlanned(target, fence, plan);
  hooks.log("info", `${states.length} tables created`);

  progress.phase("copying");
  const throttle = createThrottle(options.bandwidth, { now: () => performance.now(), signal: run.signal });
  const workers: Worker[] = await Promise.all(
    [first, ...others].map(async (reader, at) => ({
      source: reader,
      target: at === 0 ? target : await run.openWriter(),
      buffer: Buffer.allocUnsafeSlow(copyBufferBytes),
    })),
  );
  const sequences = await readSequences(first);
  if (options.content !== "schema") {
    await workOff(
      workers,
      tableTasks(
        {
          fence,
          progress,
          throttle,
          replan,
          log: (message) => hooks.log("info", printable(message)),
          async done(state, worker) {
            const words = await setCounter(worker.target, state.plan, sequences);
            if (words !== undefined) warn(words);
          },
        },
        states,
      ),
      run.fail,
    );
  }
  const rows = states.reduce((sum, { counts }) => sum + counts.source, 0);
  hooks.log("info", `${rows} rows copied`);

  progress.phase("constraints");
  const keys = planForeignKeys(scheme, new Map(states.map(({ plan }) => [plan.source.oid, plan])));
  const entries: InventoryEntry[] = [...keys.inventory];
  for (const { name, note } of keys.inventory) warn(`foreign key ${name}: ${note}`);
  for (const key of keys.keys) entries.push(await addForeignKey(target, fence, key, warn));
  if (keys.keys.length > 0) hooks.log("info", `${keys.keys.length} foreign keys added`);

  progress.phase("verifying");
  for (const { plan } of states) await endTable(target, fence, plan);
  const verification =
    options.verify === "checksum"
      ? await compareValues(
          workers,
          facts.database,
          states.map(({ plan }) => plan),
          { signal: run.signal, throttle },
        )
      : undefined;
  if (verification !== undefined) {
    verificationWords(verification).forEach(warn);
    refuseDifferences(verification);
  }
  const data = dataWarnings(states);
  for (const words of data) warn(words);
  const inventory = [
    ...states.flatMap(({ plan }) => plan.inventory),
    ...entries,
    ...chosen.entries,
    ...objectEntries(found.objects, chosen),
    ...sequenceEntries(sequences, states),
  ];
  for (const { kind, name, note } of inventory.filter(isLostKey)) warn(`${kind} ${name} is not carried over: ${note}`);
  const reported = inventory.filter(({ outcome }) => outcome === "reported").length;
  if (reported > 0) warn(`${reported} objects of the source are not carried over, or not whole; the report names each`);
  const { maria, versionText } = target.server;
  return {
    target: { engine: maria ? "MariaDB" : "MySQL", version: versionText },
    size: source.size,
    tables: states.map(({ plan, counts }) => ({
      source: tableName(plan.source),
      target: `${facts.database}.${plan.name}`,
      rows: counts,
    })),
    inventory: inventory.map((entry) => ({ ...entry, name: printable(entry.name) })),
    warnings,
    ...(verification === undefined ? {} : { verification }),
  };
}
