import { createHash } from "node:crypto";
import {
  type CopyReport,
  type CopyRequest,
  type Endpoint,
  EngineError,
  type MadeObject,
} from "../../contract/index.ts";
import { type Fence, registerPatienceMs, transacted } from "../../run/fence/fence.ts";
import { endAll, ownSession, predecessorPatienceMs, stillAlive, superseded } from "../../run/fence/succession.ts";
import { jsonBytes } from "../../run/memory/json-bytes.ts";
import { sharedText } from "../../run/memory/shared-text.ts";
import { connect, type Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { literal } from "../driver/names.ts";
import { claim, leaveToOther, readOthersClaims } from "./claim-rows.ts";
import { causeOfCut, type FenceOpening, lookWhoRaised, readOpening } from "./cut.ts";
import { dropMade } from "./drop.ts";
import { enableHeld, isHeldMark, readHeld } from "./event-triggers.ts";
import { createRecords } from "./records.ts";
import {
  isIn,
  isPassing,
  leaveFence,
  lockedBySomebody,
  type RaisedEpoch,
  type Registration,
  register,
  registering,
} from "./register.ts";
import { findTable } from "./table.ts";
import { keepTransactions, readTransactions } from "./transactions.ts";

/**
 * The fence in a PostgreSQL target: a table `_rowferry` in `public`, or else in the first schema in which the user
 * may create and whose owner it can trust, or else in a schema `_rowferry` of its own. Each run into the database has rows of
 * its own in it: one `fence` (owner, epoch), one `place` (the cluster and database that it is of), then `claim`, `made`, `part`
 * and `result`.
 *
 * Why no write of a cut-off worker can follow its successor's first: the successor's UPDATE of the epoch conflicts
 * with the FOR SHARE of every open data transaction, so it commits only when none is open; whoever asks later
 * reads the new epoch.
 */

interface FenceOptions {
  owner: string;
  ownerName: string;
  signal?: AbortSignal;
  /** Hears of objects that `clean` left alone, in words. */
  warn?(message: string): void;
  /** A finished run's list: its event triggers are disabled before anything is made or dropped under them. */
  made?: readonly MadeObject[];
  /** How long it waits for the lock of all runs into the database. 60 s. */
  registerMs?: number;
}

/** Name of a worker's sessions in pg_stat_activity; 63 bytes are what the server keeps. */
export function applicationName(owner: string, epoch: number): string {
  return `${ownPrefix(owner)}${epoch}`;
}

const ownPrefix = (owner: string) =>
  `rowferry ${owner.length <= 40 ? owner : createHash("sha256").update(owner).digest("hex").slice(0, 40)} `;

const lockTimeoutMs = 500;

/**
 * Opens the fence: takes or makes `_rowferry`, raises the epoch, ends the predecessor's sessions and waits until
 * they are gone. Errors: EngineError `target_in_use` (another owner's, made by an earlier version), `other_database` (it came
 * with a copy of the target), `predecessor_alive` and `target_locked` (retryable), and those of `connect`.
 */
export async function openFence(target: Endpoint, options: FenceOptions): Promise<Fence<Session>> {
  const { owner, ownerName, signal, made = [], registerMs = registerPatienceMs } = options;
  let epoch = 0;
  const open = () =>
    connect(target, { role: "target", applicationName: applicationName(owner, epoch), ...(signal ? { signal } : {}) });

  const first = await open();
  let table: string;
  let row: number;
  const opening: FenceOpening = {};
  try {
    opening.epoch = (await readOpening(first, owner)).epoch;
    ({ table, epoch, row } = await raise(first, { owner, ownerName, made }, opening, registerMs));
    await first.run(`SET application_name = ${literal(applicationName(owner, epoch))}`);
    await endPredecessors(first, owner, epoch);
  } catch (error) {
    await first.end();
    signal?.throwIfAborted();
    const isRetryable = error instanceof EngineError && error.retryable;
    throw isRetryable
      ? await causeOfCut(error, target, applicationName(owner, 0), (looking) => lookWhoRaised(looking, owner, opening))
      : error;
  }

  const { use: own, close } = ownSession(first, open);
  const mine = `owner = ${literal(owner)}`;
  const me = { table, owner, epoch };
  const records = createRecords(me);
  const fence: Fence<Session> = {
    get epoch() {
      return epoch;
    },
    made: () => own((session) => readMade(session, me)),
    record: async (session, objects) => records.made(session, objects),
    identify: (session) => records.write(session),
    async guard(session) {
      records.begin(session);
      const found = await session
        .query<{ epoch: number }>(
          `SELECT epoch FROM ${table} WHERE id = ${row} AND kind = 'fence' AND ${mine} FOR SHARE`,
        )
        .catch((error: unknown) => {
          // 42P01: the table is gone, dropped by whoever finished the run.
          if (sqlState(error) === "42P01") return [];
          throw error;
        });
      if (found[0]?.epoch !== epoch) {
        throw superseded();
      }
    },
    partDone: async (session, part, rows) => records.part(session, part, rows),
    parts: () =>
      own((session) =>
        session
          .query<{ name: string; epoch: number; body: string; transaction: string }>(
            `SELECT name, epoch, body, xmin::pg_catalog.text AS transaction FROM ${table} WHERE kind = 'part' AND ${mine} AND NOT ${isHeldMark} ORDER BY id`,
          )
          .then((rows) => rows.map(({ name, body, ...mark }) => ({ part: name, rows: Number(body), ...mark }))),
      ),
    transactions: () => own((session) => readTransactions(session, me)),
    wrote: (session) => records.wrote(session),
    saveResult: (report) =>
      own((session) =>
        fenced(session, fence, async () => {
          await session.run(`DELETE FROM ${table} WHERE kind = 'result' AND ${mine}`);
          await session.query(
            `INSERT INTO ${table} (owner, kind, name, epoch, body) VALUES ($1, 'result', '', $2, $3)`,
            [owner, epoch, jsonBytes(report)],
          );
        }),
      ),
    savedResult: () =>
      own(async (session) => {
        const [row] = await session.query<{ body: string }>(
          `SELECT body FROM ${table} WHERE kind = 'result' AND ${mine}`,
        );
        return row === undefined ? undefined : (JSON.parse(row.body) as CopyReport);
      }),
    clean: (made, keep = () => false) =>
      own(async (session) => {
        await fenced(session, fence, () => session.run(`DELETE FROM ${table} WHERE kind = 'result' AND ${mine}`));
        const transact = (work: () => Promise<void>) => fenced(session, fence, work);
        const cleaned = await dropMade(session, made, {
          transact,
          transactShared: (work) =>
            registering(session, async () => {
              await fence.guard(session);
              await work();
            }),
          needed: (object) => leaveToOther(session, me, object),
          warn: options.warn ?? (() => undefined),
        });
        await forget(session, me, { made, keep }, transact);
        return cleaned;
      }),
    claim: (claims, made = []) =>
      own((session) =>
        registering(
          session,
          async () => {
            await fence.guard(session);
            await claim(session, me, claims, [...made, ...(await readMade(session, me))]);
          },
          registerMs,
        ),
      ),
    claimedByOthers: () => own((session) => readOthersClaims(session, owner)),
    drop: () =>
      own((session) =>
        registering(session, async () => {
          const found = await findTable(session);
          if (found?.table !== table || !(await isIn(session, found, owner))) return;
          await fence.guard(session);
          const held = await readHeld(session, me);
          await leaveFence(session, me);
          await enableHeld(session, held, options.warn ?? (() => undefined));
        }),
      ),
    close,
  };
  return fence;
}

/** Runs work in a transaction that has passed the guard. Rolls back when work rejects. */
export const fenced = <T>(
  session: Session,
  fence: Pick<Fence<Session>, "guard" | "identify">,
  work: () => Promise<T>,
): Promise<T> =>
  transacted(session, "BEGIN", async () => {
    await fence.guard(session);
    const result = await work();
    await fence.identify(session);
    return result;
  });

/** Sessions that a successor ended look like lost ones: what the fence says is the cause. Answers the error to throw. */
export const causeOf = async (
  error: unknown,
  { target, owner }: Pick<CopyRequest, "target" | "owner">,
  fence: Pick<Fence<Session>, "guard">,
): Promise<unknown> =>
  error instanceof EngineError && error.retryable
    ? causeOfCut(error, target, applicationName(owner, 0), (session) => fence.guard(session))
    : error;

/** Removes the records of what was dropped, and the marks of the parts that are not kept. */
async function forget(
  session: Session,
  { table, owner }: Owned,
  { made, keep }: { made: readonly MadeObject[]; keep(part: string): boolean },
  fenced: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const gone = new Set(made.map((object) => JSON.stringify([object.kind, object.name])));
  await fenced(async () => {
    const rows = await session.query<{ id: number; kind: string; name: string }>(
      `SELECT id, kind, name FROM ${table} WHERE owner = $1 AND (kind = 'made' OR kind = 'part' AND NOT ${isHeldMark})`,
      [owner],
    );
    const ids = rows.flatMap(({ id, kind, name }) => {
      if (kind === "part") return keep(name) ? [] : [id];
      const object = JSON.parse(name) as MadeObject;
      return gone.has(JSON.stringify([object.kind, object.name])) ? [id] : [];
    });
    await keepTransactions(session, table, owner, ids);
    await session.query(`DELETE FROM ${table} WHERE id = ANY($1::pg_catalog.int8[])`, [ids]);
  });
}

/** What the table has of one run. */
interface Owned {
  /** Quoted. */
  table: string;
  owner: string;
}

/** Rows of an answer. */
const atOnce = 2_000;

async function readMade(session: Session, { table, owner }: Owned): Promise<MadeObject[]> {
  const made: MadeObject[] = [];
  for (let after = 0; ; ) {
    const rows = await session.query<{ id: number; name: string }>(
      `SELECT id::int8 AS id, name FROM ${table} WHERE kind = 'made' AND owner = $1 AND id > $2 ORDER BY id LIMIT ${atOnce}`,
      [owner, after],
    );
    for (const { name } of rows) {
      const { kind, name: names, id } = JSON.parse(name) as MadeObject;
      made.push({ kind: sharedText(kind), name: names.map(sharedText), ...(id === undefined ? {} : { id }) });
    }
    if (rows.length < atOnce) break;
    after = rows.at(-1)?.id ?? after;
  }
  // An index that went with its table's was made again by a later attempt: the last record is the one that is there.
  const seen = new Set<string>();
  const last = made.reverse().filter(({ kind, name }) => {
    const key = [kind, ...name].join("\0");
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return last.reverse();
}

/** Raises the epoch, ending the sessions that hold the old one as often as they stand in the way. */
async function raise(
  session: Session,
  placing: Registration,
  opening: FenceOpening,
  registerMs: number,
): Promise<RaisedEpoch> {
  const begun = Date.now();
  for (;;) {
    try {
      return await register(session, placing, opening, lockTimeoutMs);
    } catch (error) {
      const isLocked = error instanceof EngineError && error.code === "target_locked";
      if (!isLocked && !isPassing(error)) throw error;
      const waitedMs = Date.now() - begun;
      if (isLocked && waitedMs > registerMs) throw await lockedBySomebody(session, waitedMs);
      if (waitedMs > predecessorPatienceMs) throw stillAlive(error);
    }
    await terminate(session, placing.owner, Number.MAX_SAFE_INTEGER);
  }
}

const endPredecessors = (session: Session, owner: string, epoch: number): Promise<void> =>
  endAll(async () => ({ left: await terminate(session, owner, epoch) }));

/**
 * Asks every session of this owner with an epoch below `below` to end; answers how many there were. One that opens the fence
 * (epoch 0) is no predecessor but may be the successor: it is ended only when it hangs with the fence's row in its hands.
 */
async function terminate(session: Session, owner: string, below: number): Promise<number> {
  const prefix = ownPrefix(owner);
  const sessions = await session.query<{ pid: number }>(
    `SELECT pid, pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity
      WHERE datname = pg_catalog.current_database() AND pid <> pg_catalog.pg_backend_pid()
        AND pg_catalog.starts_with(application_name, $1)
        AND pg_catalog.substr(application_name, pg_catalog.length($1) + 1) ~ '^[0-9]{1,15}$'
        AND pg_catalog.substr(application_name, pg_catalog.length($1) + 1)::bigint < $2
        AND (application_name <> $1 || '0' OR state ~ '^idle in transaction' AND state_change < pg_catalog.clock_timestamp() - $3::pg_catalog.interval)`,
    [prefix, below, `${lockTimeoutMs} milliseconds`],
  );
  return sessions.length;
}
