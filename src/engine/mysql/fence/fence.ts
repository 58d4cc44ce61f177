import { randomUUID } from "node:crypto";
import { type CopyReport, type Endpoint, EngineError } from "../../contract/index.ts";
import { type Fence, registerPatienceMs, transacted } from "../../run/fence/fence.ts";
import { ownSession, superseded } from "../../run/fence/succession.ts";
import { jsonTexts } from "../../run/memory/json-bytes.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { connectTarget, errorNumber, type TargetPurpose } from "../driver/write-session.ts";
import { claim, notClaimed, readOthersClaims } from "./claim-rows.ts";
import { dropMade } from "./drop.ts";
import { noTable } from "./identity.ts";
import { ownRows } from "./own-rows.ts";
import { endOpened, endSessions, takeLock } from "./predecessors.ts";
import { createRecords, type Records, readRecords, recordKey } from "./records.ts";
import { leaveFence, raiseEpoch, registering } from "./register.ts";
import { deleteRows, fenceTable, findTable } from "./table.ts";
import { constraintKind, mysqlClaim, mysqlClaimsOf, tellsCase } from "./taken-names.ts";

/**
 * The fence in a MySQL target: a table `_rowferry` in the target's database. Each run into the database has rows of its own in
 * it: one `fence` (owner, epoch), then `session`, `claim`, `made`, `part` and the pieces of the `result`. A row is only locked
 * by its id: what is found by a search would lock those of other runs as well.
 *
 * Why no write of a cut-off worker can follow its successor's first: every session that writes is opened by `open`, which
 * writes its lock down while it holds the epoch FOR SHARE. The successor raises the epoch, which waits for these; after that
 * no session of the old epoch can be opened, and those that were are ended and waited for. So also a statement that commits
 * by itself, as MySQL's DDL does, needs no transaction with the guard in it, as long as it runs on a session of `open`.
 */

interface FenceOptions {
  owner: string;
  ownerName: string;
  signal?: AbortSignal;
  /** Seconds that a statement of the sessions may take; 0 for no limit. */
  statementTimeout?: number | undefined;
  /** Hears of objects that `clean` left alone, in words. */
  warn?(message: string): void;
  /** How long it waits for the lock of all runs into the database. 60 s. */
  registerMs?: number;
}

export interface MysqlFence
  extends Fence<Session>,
    Pick<Records, "mark" | "expect" | "expectAll" | "settle" | "adopt" | "remark"> {
  /** A session for writing: known to the fence, so that a successor ends it. Errors: `superseded`. */
  open(): Promise<Session>;
  /** Of these foreign keys and checks, the names that the run has never claimed. */
  othersConstraints(names: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Bytes of a result that are written at once: less than any server's max_allowed_packet. */
const pieceBytes = 256 * 1024;

/**
 * Opens the fence: takes or makes `_rowferry`, raises the epoch, ends the predecessor's sessions and waits until they are
 * gone. Errors: EngineError `target_in_use` (another owner's, made by an earlier version), `predecessor_alive` and
 * `target_locked` (retryable), and those of `connectTarget`.
 */
export async function openFence(target: Endpoint, options: FenceOptions): Promise<MysqlFence> {
  const { owner, ownerName, signal, statementTimeout, registerMs = registerPatienceMs } = options;
  const { database } = target;
  const table = fenceTable(database);
  const purpose: TargetPurpose = { program: "rowferry", ...(signal ? { signal } : {}), statementTimeout };
  const mine = `owner = ${literal(owner)}`;
  const whole = (kind: string) =>
    `SELECT id, name, epoch, body FROM ${table} WHERE kind = '${kind}' AND ${mine} ORDER BY id`;
  const first = await connectTarget(target, purpose);
  const { row, epoch } = await raiseEpoch(first, { database, owner, ownerName }, registerMs).catch(endWith(first));
  const me = { table, owner, epoch };
  const current = `id = ${row} AND kind = 'fence' AND ${mine}`;
  /** Of the sessions that were opened here. */
  const opened = new Set<string>();

  /** Known to the fence, or not opened at all. */
  const register = async (session: Session) => {
    const lock = `rowferry ${randomUUID()}`;
    await takeLock(session, lock);
    opened.add(lock);
    const written = await session
      .run(
        `INSERT INTO ${table} (owner, kind, name, epoch)
         SELECT owner, 'session', ${literal(lock)}, epoch FROM ${table} WHERE ${current} AND epoch = ${epoch} LOCK IN SHARE MODE`,
      )
      .catch((error: unknown) => {
        if (errorNumber(error) === noTable) throw superseded();
        throw error;
      });
    if (written.affected !== 1) throw superseded();
  };
  const open = async () => {
    const session = await connectTarget(target, purpose);
    await register(session).catch(endWith(session));
    return session;
  };

  const endPredecessors = async (session: Session) => {
    const before = await session.query(
      `SELECT id, name FROM ${table} WHERE kind = 'session' AND ${mine} AND epoch < ${epoch}`,
    );
    await endSessions(
      session,
      before.map(([, lock]) => lock ?? ""),
    );
    await deleteRows(session, table, idsOf(before));
    await register(session);
  };
  await endPredecessors(first).catch(endWith(first));
  const { use: own, current: session, close } = ownSession(first, open);

  const forgetResult = async (session: Session) => {
    const pieces = await session.query(`SELECT id FROM ${table} WHERE kind = 'result' AND ${mine}`);
    await deleteRows(session, table, idsOf(pieces));
  };

  const notes = createRecords(me);
  const fence: MysqlFence = {
    epoch,
    open,
    claim: (claims, made = []) =>
      own((session) =>
        registering(
          session,
          async () => {
            const exact = await tellsCase(session);
            const known = (await readRecords(session, table, owner)).map(({ object }) => object);
            await claim(session, me, [...claims, ...mysqlClaimsOf([...made, ...known], exact)], (work) =>
              fenced(session, fence, work),
            );
          },
          registerMs,
        ),
      ),
    othersConstraints: (names) =>
      own(async (session) => {
        const byKey = names.map((name) => ({ name, claim: mysqlClaim(constraintKind, name, false) }));
        const others = new Set(
          await notClaimed(
            session,
            me,
            byKey.map(({ claim }) => claim),
          ),
        );
        return new Set(byKey.flatMap(({ name, claim }) => (others.has(claim) ? [name] : [])));
      }),
    claimedByOthers: () => own((session) => readOthersClaims(session, database, owner)),
    made: () => own(async (session) => (await readRecords(session, table, owner)).map(({ object }) => object)),
    record: notes.record,
    mark: notes.mark,
    expect: notes.expect,
    expectAll: notes.expectAll,
    settle: notes.settle,
    adopt: notes.adopt,
    remark: notes.remark,
    identify: notes.identify,
    async guard(session) {
      const rows = await session
        .query(`SELECT epoch FROM ${table} WHERE ${current} LOCK IN SHARE MODE`)
        .catch((error: unknown) => {
          // Dropped by whoever finished the run.
          if (errorNumber(error) === noTable) return [];
          throw error;
        });
      if (Number(rows[0]?.[0] ?? -1) !== epoch) throw superseded();
    },
    async partDone(session, part, rows) {
      await session.run(
        `INSERT INTO ${table} (owner, kind, name, epoch, body) VALUES (${literal(owner)}, 'part', ${literal(part)}, ${epoch}, '${rows}')`,
      );
    },
    parts: () => own(async (session) => partsOf(await session.query(whole("part")))),
    saveResult: (report) =>
      own((session) =>
        fenced(session, fence, async () => {
          await forgetResult(session);
          for (const text of jsonTexts(report, pieceBytes))
            await session.run(
              `INSERT INTO ${table} (owner, kind, name, epoch, body) VALUES (${literal(owner)}, 'result', '', ${epoch}, ${literal(text)})`,
            );
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
        await fenced(session, fence, () => forgetResult(session));
        const known = await readRecords(session, table, owner);
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
        await fenced(session, fence, () => deleteRows(session, table, rows));
        return cleaned;
      }),
    drop: () =>
      own((session) =>
        registering(session, async () => {
          if ((await findTable(session, database)) === undefined) return;
          const [there] = await session.query(`SELECT 1 FROM ${table} WHERE ${current}`);
          if (there !== undefined)
            await leaveFence(session, { table, owner, row }, (work) => fenced(session, fence, work));
        }),
      ),
    async close() {
      await endOpened(target, session(), [...opened]);
      opened.clear();
      await close();
    },
  };
  return fence;
}

/** For a rejection: the session ends with it. */
const endWith =
  (session: Session) =>
  async (error: unknown): Promise<never> => {
    await session.end();
    throw error;
  };

const idsOf = (rows: readonly (readonly (string | null)[])[]): number[] => rows.map(([id]) => Number(id));

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
  if (!(error instanceof EngineError) || !error.retryable) return error;
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
