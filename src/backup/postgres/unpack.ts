import { fullName } from "../../engine/contract/text/full-name.ts";
import { printable } from "../../engine/contract/text/printable.ts";
import {
  applyRightSteps,
  applySteps,
  failed as failedStep,
  type ObjectTarget,
  readTargetFacts,
} from "../../engine/plan/postgres-postgres/copy/create-objects.ts";
import { collisions } from "../../engine/plan/postgres-postgres/schema/compare-inventories.ts";
import { type Stage, type Step, stepsOf } from "../../engine/plan/postgres-postgres/schema/entries.ts";
import { readInventory } from "../../engine/postgres/catalogue/inventory.ts";
import { readDataTables } from "../../engine/postgres/catalogue/tables.ts";
import { connect, type Session } from "../../engine/postgres/driver/connection.ts";
import { type CopyIn, copyIn, frame, headerBytes } from "../../engine/postgres/driver/copy-in.ts";
import { identifier, literal } from "../../engine/postgres/driver/names.ts";
import type { DumpEntry } from "../../engine/postgres/dump/archive.ts";
import { ownerStays } from "../../engine/postgres/target/owners.ts";
import { type Task, workOff } from "../../engine/run/pool.ts";
import { createWarnings } from "../../engine/run/warnings.ts";
import { beginAttempt, endAttempt } from "../attempts.ts";
import { BackupError, type ObjectThere } from "../contract.ts";
import { partsHolding } from "../manifest.ts";
import { readPart } from "../parts.ts";
import { withSessions } from "../stoppable.ts";
import { refuseNotEmpty } from "../target.ts";
import type { Unpacked, Unpacking } from "../work.ts";
import { type ContentBlocks, type LargeObject, readDump, refused } from "./contents.ts";
import { countTableRows } from "./count.ts";
import { markedTarget } from "./marked-target.ts";
import { largeObjects } from "./write.ts";

/**
 * Restores a dump statement by statement in the order of its table of contents, each under the rights of the target's URL. The dump is never
 * given to psql or pg_restore: a newer pg_restore sets what an older server does not know, and stops at what it could report.
 */

const applicationName = "rowferry restore";

export function unpackPostgres(work: Unpacking): Promise<Unpacked> {
  const { target, manifest, account, log } = work;
  const login = (signal: AbortSignal) => connect(target, { role: "target", applicationName, signal });
  return withSessions(work.signal, login, async ({ open, signal, stop }) => {
    account.phase("connecting");
    const main = await open();
    const isEmpty = await refuseObjects(main, work);
    const [part] = partsHolding(manifest, "dump");
    if (part === undefined) throw new BackupError("archive_format", "the manifest names no dump");
    account.phase("copying");
    const dump = await readDump(readPart({ ...work.reading, signal }, part, work.moved));
    const { said, warn } = createWarnings({ log });
    const applying: ObjectTarget = {
      session: main,
      fence: undefined,
      facts: await readTargetFacts(main),
      owed: [],
      note: () => undefined,
      warn,
    };
    const steps = stepsOf(dump.contents.entries, new Map());
    const at = (stage: Stage) =>
      steps.filter((step) => step.stage === stage && !(stage === "rights" && ofLargeObjects(step)));
    log(
      "info",
      `Restoring ${steps.filter(({ stage }) => stage !== "never").length} objects into ${printable(target.database)}`,
    );
    await applySteps(applying, at("before"));
    await setEncoding(main, dump.contents.entries);

    const blocks = createBlocks();
    const byId = new Map(dump.contents.entries.map((entry) => [entry.id, entry]));
    for (let block = await dump.block(); block !== undefined; block = await dump.block()) {
      const entry = byId.get(block.id);
      if (entry === undefined) throw refused(`it has rows of an entry ${block.id}, which is not in its list`);
      if (block.kind === "objects") await loadObjects(main, entry, block.objects(blocks), applying);
      else {
        const statement = copyStatement(dump.contents.copies.get(block.id) ?? "");
        await loadRows(main, { statement, entry, isNew: isEmpty }, block.pieces(blocks), blocks);
        account.table();
      }
    }
    for (const { kind, create } of dump.contents.entries) if (kind === "SEQUENCE SET") await main.run(create);

    log("info", "Rows are restored; making indexes, keys and constraints");
    const workers = [main];
    while (workers.length < work.jobs) workers.push(await open());
    await makeAfter(workers, at("after"), applying, stop);
    if (steps.some((step) => step.stage === "rights" && ofLargeObjects(step)))
      warn("rights on large objects were not restored: grant them again");
    await applyRightSteps(applying, at("rights"));
    await applySteps(applying, at("filling"));
    await applySteps(applying, at("watching"));
    const names = new Set(manifest.tables.map(({ name }) => name));
    account.phase("verifying");
    const tables = await readDataTables(main);
    const others = workers.slice(1);
    const analyse = () => main.run("ANALYZE");
    if (others.length === 0) await analyse();
    const [found] = await Promise.all([
      countTableRows(
        tables.filter((table) => names.has(fullName(table.schema, table.name))),
        others.length > 0 ? others : workers,
        account,
        manifest.checksums,
      ),
      others.length > 0 ? analyse() : undefined,
    ]);
    const inventory = [
      ...(await readInventory(main, new Set())).map(({ kind, name }) => ({ kind, name })),
      ...(await largeObjects(main)),
    ];
    await endAttempt(markedTarget(main), work);
    return {
      tables: found.tables,
      inventory,
      warnings: [...said],
    };
  });
}

/** Whether the target is empty. Errors: `target_not_empty`, `target_conflict`. */
async function refuseObjects(session: Session, work: Unpacking): Promise<boolean> {
  const there = await beginAttempt(markedTarget(session), work);
  const detailed = (things: readonly ObjectThere[]) => things.map((thing) => ({ ...thing, detail: "" }));
  await refuseNotEmpty(work, there, (wanted, found) => collisions(detailed(wanted), detailed(found)));
  return there.length === 0;
}

const name = '(?:"(?:[^"]|"")*")';
const copyForm = new RegExp(`^COPY ${name}\\.${name} (?:\\(${name}(?:, ${name})*\\))? FROM stdin;\\s*$`);

/** Only as pg_dump writes it with --quote-all-identifiers: COPY may read files and start programs. */
function copyStatement(text: string): string {
  if (copyForm.test(text)) return text;
  throw refused(`it loads rows by ${JSON.stringify(printable(text).slice(0, 200))}`);
}

/** The table of such a statement. */
const copyTarget = (statement: string): string => new RegExp(`^COPY (${name}\\.${name}) `).exec(statement)?.[1] ?? "";

/** The rows are in the encoding that the dump names. */
async function setEncoding(session: Session, entries: readonly DumpEntry[]): Promise<void> {
  const set = entries.find(({ kind }) => kind === "ENCODING")?.create ?? "";
  const encoding = /^SET client_encoding = '([A-Z0-9_]+)';/.exec(set)?.[1] ?? "UTF8";
  if (encoding !== "UTF8") await session.run(`SET client_encoding = ${literal(encoding)}`);
}

const blockBytes = 256 * 1024;
const inFlightBytes = 4 * blockBytes;

interface Pool extends ContentBlocks {
  give(block: Uint8Array): void;
}

function createBlocks(): Pool {
  const free: Buffer[] = [];
  return {
    reserved: headerBytes,
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(blockBytes),
    give(block) {
      if (block.buffer.byteLength === blockBytes) free.push(Buffer.from(block.buffer as ArrayBuffer));
    },
  };
}

interface Loaded {
  /** As pg_dump writes it. */
  statement: string;
  entry: DumpEntry;
  /** Every table is one that this restore made. */
  isNew: boolean;
}

async function loadRows(session: Session, to: Loaded, pieces: AsyncIterable<Buffer>, blocks: Pool): Promise<void> {
  const { entry } = to;
  const about = { kind: "table", name: `${entry.schema}.${entry.tag}` };
  try {
    const { copy, end } = await beginCopy(session, to, blocks);
    try {
      for await (const piece of pieces) {
        frame(piece, 0, piece.length);
        await copy.write(piece);
      }
    } catch (error) {
      await copy.abort("the archive could not be read");
      throw error;
    }
    await copy.finish();
    await end();
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw failedStep(session, about, error);
  }
}

/**
 * Rows of a table that was emptied in the same transaction are written as committed already: otherwise whatever reads them first writes
 * every page once more. A table that was there before is never emptied.
 */
async function beginCopy(
  session: Session,
  { statement, isNew }: Loaded,
  blocks: Pool,
): Promise<{ copy: CopyIn; end(): Promise<void> }> {
  const begin = (text: string) => copyIn(session, text, { inFlightBytes, released: (block) => blocks.give(block) });
  if (isNew) {
    try {
      await session.run(`BEGIN; TRUNCATE ONLY ${copyTarget(statement)}`);
      const copy = await begin(statement.replace(/ FROM stdin;\s*$/, " FROM stdin WITH (FREEZE)"));
      return { copy, end: () => session.run("COMMIT") };
    } catch {
      // The owner is another role, or the server has no such tables frozen: no row was sent.
      await session.run("ROLLBACK");
    }
  }
  return { copy: await begin(statement), end: async () => undefined };
}

async function loadObjects(
  session: Session,
  { owner }: DumpEntry,
  objects: AsyncIterable<LargeObject>,
  { facts, warn }: ObjectTarget,
): Promise<void> {
  for await (const { oid, pieces } of objects) {
    await session.query("SELECT pg_catalog.lo_create($1::oid)", [oid]);
    let at = 0;
    for await (const piece of pieces) {
      const bytes = piece.subarray(headerBytes);
      await session.query("SELECT pg_catalog.lo_put($1::oid, $2::int8, $3::bytea)", [oid, at, bytes]);
      at += bytes.length;
    }
    if (owner === "" || owner === facts.user) continue;
    if (facts.roles.has(owner)) await session.run(`ALTER LARGE OBJECT ${oid} OWNER TO ${identifier(owner)}`);
    else
      warn(
        `large ${ownerStays({ owner, user: facts.user, why: facts.known.has(owner) ? "not a member" : "unknown" })}`,
      );
  }
}

const ofLargeObjects = ({ entry }: Step) => /^LARGE OBJECTS? /.test(entry.tag);

/** They need nothing but their table, and each is made by itself. */
const independent = new Set(["INDEX", "CONSTRAINT"]);

/** Indexes and keys side by side, the others in their order. */
async function makeAfter(
  workers: readonly Session[],
  steps: readonly Step[],
  applying: ObjectTarget,
  failed: (error: unknown) => void,
): Promise<void> {
  const beside = steps.filter(({ entry }) => independent.has(entry.kind));
  const tasks = beside.map(
    (step): Task<Session> => ({ run: (session) => applySteps({ ...applying, session }, [step]) }),
  );
  await workOff(workers, tasks, failed);
  await applySteps(
    applying,
    steps.filter(({ entry }) => !independent.has(entry.kind)),
  );
}
