import { randomUUID } from "node:crypto";
import { type CopyReport, type Endpoint, EngineError } from "../contract.ts";
import { type Fence, targetInUse, transacted } from "../fence.ts";
import { dropMade } from "./drop.ts";
import { fenceRow, fenceTable, findTable, placeTable } from "./fence-table.ts";
import { literal } from "./names.ts";
import { ownRows } from "./own-rows.ts";
import { endOpened, endSessions, takeLock } from "./predecessors.ts";
import { createRecords, type Records, readRecords, recordKey } from "./records.ts";
import type { Session } from "./session.ts";
import { connectTarget, errorNumber, type TargetPurpose } from "./target.ts";

/**
 * The fence in a MySQL target: a table `_rowferry` in the target's database. Its rows: one `fence` (owner, epoch), then
 * `session`, `made`, `part` and the pieces of the `result`.
 *
 * Why no write of a cut-off worker can follow its successor's first: every session that writes is opened by `open`, which
 * writes its lock down while it holds the epoch FOR SHARE. The successor raises the epoch, which waits for these; after that
 * no session of the old epoch can be opened, and those that were are ended and waited for. So also a statement that commits
 * by itself, as MySQL's DDL does, needs no transaction with the guard in it, as long as it runs on a session of `open`.
 */

export interface FenceOptions {
  owner: string;
  ownerName: string;
  signal?: AbortSignal;
  /** Seconds that a statement of the sessions may take; 0 for no limit. */
  statementTimeout?: number | undefined;
  /** Hears of objects that `clean` left alone, in words. */
  warn?(message: string): void;
}

export interface MysqlFence extends Fence<Session>, Pick<Records, "mark" | "expect" | "settle" | "adopt" | "remark"> {
  /** A session for writing: known to the fence, so that a successor ends it. Errors: `superseded`. */
  open(): Promise<Session>;
}

const lockWaitSeconds = 1;
const raiseTimeoutMs = 60_000;
const lockWait = 1205;
const deadlock = 1213;
const noTable = 1146;
/** Bytes of a result that are written at once: less than any server's max_allowed_packet. */
const pieceBytes = 256 * 1024;

/**
 * Opens the fence: takes or makes `_rowferry`, raises the epoch, ends the predecessor's sessions and waits until they are
 * gone. Errors: EngineError `target_in_use` (another owner's), `predecessor_alive` (retryable), and those of `connectTarget`.
 */
export async function openFence(target: Endpoint, options: FenceOptions): Promise<MysqlFence> {
  const { owner, ownerName, signal, statementTimeout } = options;
  const { database } = target;
  const table = fenceTable(database);
  const purpose: TargetPurpose = { program: "rowferry", ...(signal ? { signal } : {}), statementTimeout };
  const whole = (kind: string) => `SELECT id, name, epoch, body FROM ${table} WHERE kind = '${kind}' ORDER BY id`;
  let epoch = 0;
  /** Of the sessions that were opened here. */
  const opened = new Set<string>();

  const superseded = () => new EngineError("superseded", "another worker of this migration has taken over the target");

  /** Known to the fence, or not opened at all. */
  const register = async (session: Session) => {
    const lock = `rowferry ${randomUUID()}`;
    await takeLock(session, lock);
    opened.add(lock);
    const written = await session
      .run(
        `INSERT INTO ${table} (kind, name, epoch)
         SELECT 'session', ${literal(lock)}, ${epoch} FROM ${table} WHERE id = ${fenceRow} AND kind = 'fence' AND epoch = ${epoch} LOCK IN SHARE MODE`,
      )
      .catch((error: unknown) => {
        if (errorNumber(error) === noTable) throw superseded();
        throw error;
      });
    if (written.affected !== 1) throw superseded();
  };
  const open = async () => {
    const session = await connectTarget(target, purpose);
    try {
      await register(session);
      return session;
    } catch (error) {
      await session.end();
      throw error;
    }
  };

  let session: Session | undefined = await connectTarget(target, purpose);
  try {
    epoch = await raise(session, { database, table, owner, ownerName });
    const before = await session.query(`SELECT name FROM ${table} WHERE kind = 'session' AND epoch < ${epoch}`);
    await endSessions(
      session,
      before.map(([lock]) => lock ?? ""),
    );
    await session.run(`DELETE FROM ${table} WHERE kind = 'session' AND epoch < ${epoch}`);
    await register(session);
  } catch (error) {
    await session.end();
    throw error;
  }

  /** The fence's own session stands idle for hours and may be lost: its work is repeatable, so it is tried twice. */
  const own = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    try {
      session ??= await open();
      return await work(session);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "connection_lost") throw error;
      await session?.end();
      session = undefined;
      session = await open();
      return work(session);
    }
  };

  const notes = createRecords(table, () => epoch);
  const fence: MysqlFence = {
    get epoch() {
      return epoch;
    },
    open,
    // The table is that of one run: no other comes into the database beside it.
    claim: async () => undefined,
    claimedByOthers: async () => [],
    made: () => own(async (session) => (await readRecords(session, table)).map(({ object }) => object)),
    record: notes.record,
    mark: notes.mark,
    expect: notes.expect,
    settle: notes.settle,
    adopt: notes.adopt,
    remark: notes.remark,
    identify: notes.identify,
    async guard(session) {
      const rows = await session
        .query(`SELECT epoch FROM ${table} WHERE id = ${fenceRow} AND kind = 'fence' LOCK IN SHARE MODE`)
        .catch((error: unknown) => {
          // Dropped by whoever finished the run.
          if (errorNumber(error) === noTable) return [];
          throw error;
        });
      if (Number(rows[0]?.[0] ?? -1) !== epoch) throw superseded();
    },
    async partDone(session, part, rows) {
      await session.run(
        `INSERT INTO ${table} (kind, name, epoch, body) VALUES ('part', ${literal(part)}, ${epoch}, '${rows}')`,
      );
    },
    parts: () => own(async (session) => partsOf(await session.query(whole("part")))),
    saveResult: (report) =>
      own((session) =>
        fenced(session, fence, async () => {
          await session.run(`DELETE FROM ${table} WHERE kind = 'result'`);
          const text = JSON.stringify(report);
          for (let at = 0; at < text.length || at === 0; ) {
            // Not between the two halves of a character.
            let end = at + pieceBytes;
            if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end--;
            await session.run(
              `INSERT INTO ${table} (kind, name, epoch, body) VALUES ('result', '', ${epoch}, ${literal(text.slice(at, end))})`,
            );
            at = end;
          }
        }),
      ),
    savedResult: () =>
      own(async (session) => {
        const pieces = await session.query(whole("result"));
        return pieces.length === 0
          ? undefined
          : (JSON.parse(pieces.map(([, , , body]) => body ?? "").join("")) as CopyReport);
      }),
    clean: (made, keep = () => false) =>
      own(async (session) => {
        await fenced(session, fence, () => session.run(`DELETE FROM ${table} WHERE kind = 'result'`));
        const known = await readRecords(session, table);
        const rowsOf = ownRows(partsOf(await session.query(whole("part"))));
        const cleaned = await dropMade(
          session,
          made.map((object) => ({
            object,
            rows: rowsOf(object.name),
            proofs: known.filter((one) => recordKey(one.object) === recordKey(object)).map(({ proof }) => proof),
          })),
          { guard: () => fence.guard(session), warn: options.warn ?? (() => undefined) },
        );
        const gone = new Set(made.map(recordKey));
        const rows = [
          ...known.filter(({ object }) => gone.has(recordKey(object))).map(({ row }) => row),
          ...(await session.query(whole("part"))).filter(([, part]) => !keep(part ?? "")).map(([id]) => Number(id)),
        ];
        await fenced(session, fence, async () => {
          for (let at = 0; at < rows.length; at += 1000)
            await session.run(`DELETE FROM ${table} WHERE id IN (${rows.slice(at, at + 1000).join(", ")})`);
        });
        return cleaned;
      }),
    drop: () =>
      own(async (session) => {
        if (!(await findTable(session, database))) return;
        await fence.guard(session);
        await session.run(`DROP TABLE ${table}`);
      }),
    async close() {
      await endOpened(target, session, [...opened]);
      opened.clear();
      await session?.end();
      session = undefined;
    },
  };
  return fence;
}

const partsOf = (rows: readonly (readonly (string | null)[])[]) =>
  rows.map(([, part, epoch, count]) => ({ part: part ?? "", rows: Number(count), epoch: Number(epoch) }));

/** Runs work in a transaction that has passed the guard. Rolls back when work rejects. */
export const fenced = <T>(session: Session, fence: Pick<Fence<Session>, "guard">, work: () => Promise<T>): Promise<T> =>
  transacted(session, "START TRANSACTION", async () => {
    await fence.guard(session);
    return work();
  });

/** A successor ends the sessions that hold the epoch before it raises that. */
const successionMs = 2_000;
const successionLookMs = 50;

/** Sessions that a successor ended look like lost ones: what the fence says is the cause. Answers the error to throw. */
export async function causeOf(
  error: unknown,
  target: Endpoint,
  fence: Pick<Fence<Session>, "guard" | "epoch">,
): Promise<unknown> {
  if (!(error instanceof EngineError) || !error.retryable || error.code === "stalled") return error;
  const deadline = performance.now() + (error.code === "connection_lost" ? successionMs : 0);
  try {
    const session = await connectTarget(target, { program: "rowferry" });
    try {
      for (;;) {
        await fence.guard(session);
        if (performance.now() >= deadline) return error;
        await new Promise((resolve) => setTimeout(resolve, successionLookMs));
      }
    } finally {
      await session.end();
    }
  } catch (found) {
    return found instanceof EngineError && found.code === "superseded" ? found : error;
  }
}

/** Raises the epoch, ending the sessions that hold the old one as often as they stand in the way. */
async function raise(
  session: Session,
  { database, table, owner, ownerName }: { database: string; table: string; owner: string; ownerName: string },
): Promise<number> {
  const deadline = performance.now() + raiseTimeoutMs;
  await session.run(
    `SET SESSION innodb_lock_wait_timeout = ${lockWaitSeconds}, SESSION lock_wait_timeout = ${raiseTimeoutMs / 1000}`,
  );
  for (;;) {
    try {
      await placeTable(session, database, owner, ownerName);
      const done = await session.run(
        `UPDATE ${table} SET epoch = LAST_INSERT_ID(epoch + 1) WHERE id = ${fenceRow} AND kind = 'fence' AND name = ${literal(owner)}`,
      );
      if (done.affected === 1) {
        await session.run("SET SESSION innodb_lock_wait_timeout = DEFAULT, SESSION lock_wait_timeout = DEFAULT");
        return done.insertId;
      }
      const [other] = await session.query(`SELECT name, body FROM ${table} WHERE id = ${fenceRow} AND kind = 'fence'`);
      if (other !== undefined && other[0] !== owner)
        throw targetInUse(table, other[0] ?? undefined, other[1] ?? undefined);
    } catch (error) {
      if (![lockWait, deadlock, noTable].includes(errorNumber(error) ?? 0) || performance.now() > deadline) throw error;
    }
    // A predecessor's transaction holds the epoch: only this owner's sessions are ended for it.
    const [fence] = await session
      .query(`SELECT name FROM ${table} WHERE id = ${fenceRow} AND kind = 'fence'`)
      .catch(() => []);
    if (fence?.[0] !== owner) continue;
    const locks = await session.query(`SELECT name FROM ${table} WHERE kind = 'session'`);
    await endSessions(
      session,
      locks.map(([lock]) => lock ?? ""),
    );
  }
}
