import type { SourceSnapshot } from "../../contract/index.ts";
import { MysqlError } from "../driver/errors.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/** The place of a snapshot in its server's binary log. Left out is what the log, or the user's rights, do not tell. */

export type LogPosition = Pick<SourceSnapshot, "binlog" | "gtid">;

const readings = 10;
/** BINLOG_GTID_POS reads the log's file up to the position. */
const gtidSeconds = 10;
const moments = 5;

/**
 * Of a session's own START TRANSACTION WITH CONSISTENT SNAPSHOT on MariaDB. The server puts it into a variable that its
 * sessions share, where another's SHOW STATUS may replace it before it is sent: two equal readings count.
 */
async function snapshotPosition(session: Session): Promise<LogPosition["binlog"]> {
  let last: string | undefined;
  for (let reading = 0; reading < readings; reading++) {
    const rows = await session.query("SHOW STATUS LIKE 'Binlog_snapshot_%'");
    const [file, offset] = ["file", "position"].map(
      (name) => rows.find(([variable]) => variable?.toLowerCase() === `binlog_snapshot_${name}`)?.[1],
    );
    if (!file || !offset) return undefined;
    if (last === `${file}:${offset}`) return { file, offset: Number(offset) };
    last = `${file}:${offset}`;
  }
  return undefined;
}

/** The same with MariaDB's GTID at that place. `any` may be another session. */
export async function mariadbPosition(reader: Session, any: Session): Promise<LogPosition> {
  const binlog = await snapshotPosition(reader);
  if (binlog === undefined) return {};
  const sql = `SET STATEMENT max_statement_time = ${gtidSeconds} FOR SELECT BINLOG_GTID_POS(${literal(binlog.file)}, ${binlog.offset})`;
  const [[gtid] = []] = await orNothing(any.query(sql));
  return gtid ? { binlog, gtid } : { binlog };
}

/** Of MySQL, while a lock keeps the tables as they are. File and offset need REPLICATION CLIENT. */
export async function lockedPosition(session: Session): Promise<LogPosition> {
  const words = session.server.version >= 80_200 ? "BINARY LOG" : "MASTER";
  const [[file, offset] = []] = await orNothing(session.query(`SHOW ${words} STATUS`));
  const gtid = (await keepsGtids(session)) ? await executed(session) : "";
  return {
    ...(file && offset ? { binlog: { file, offset: Number(offset) } } : {}),
    ...(gtid === "" ? {} : { gtid }),
  };
}

/**
 * Begins one session's snapshot on MySQL without a lock. Its GTIDs are known if none was added meanwhile and none is owned
 * after it: a transaction owns its own from before its commit until `gtid_executed` has it.
 */
export async function beginBetweenCommits(session: Session, begin: () => Promise<void>): Promise<LogPosition> {
  const known = await keepsGtids(session);
  for (let moment = 0; known && moment < moments; moment++) {
    const before = await executed(session);
    await begin();
    const [[owned] = []] = await session.query("SELECT @@GLOBAL.gtid_owned");
    if (owned === "" && before !== "" && before === (await executed(session))) return { gtid: before };
  }
  await begin();
  return {};
}

/** Every logged transaction has a GTID. */
async function keepsGtids(session: Session): Promise<boolean> {
  const [[mode, log] = []] = await session.query("SELECT @@GLOBAL.gtid_mode, @@GLOBAL.log_bin");
  return mode === "ON" && log === "1";
}

async function executed(session: Session): Promise<string> {
  const [[set] = []] = await session.query("SELECT @@GLOBAL.gtid_executed");
  return (set ?? "").replaceAll(/\s/g, "");
}

/** No rows where the server refuses. */
const orNothing = (rows: ReturnType<Session["query"]>): ReturnType<Session["query"]> =>
  rows.catch((error: unknown) => {
    if (error instanceof Error && error.cause instanceof MysqlError) return [];
    throw error;
  });
