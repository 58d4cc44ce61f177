import { createHash, randomUUID } from "node:crypto";
import { type Endpoint, EngineError } from "../../contract/index.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { connectTarget } from "../driver/write-session.ts";
import { takeLock } from "./predecessors.ts";

/**
 * Whether two sessions are on one database, however their URLs name it (alias, address, socket, proxy): a lock that the
 * target's session takes under a new name is seen by the source's. A replica and its primary are two servers here.
 */
export async function isSameDatabase(source: Session, target: Session): Promise<boolean> {
  const lock = `rowferry ${randomUUID()}`;
  await takeLock(target, lock);
  try {
    const [[holder] = []] = await source.query(`SELECT IS_USED_LOCK(${literal(lock)})`);
    if (holder === null || holder === undefined) return false;
  } finally {
    await target.query(`SELECT RELEASE_LOCK(${literal(lock)})`);
  }
  const [one, other] = await Promise.all([foldedDatabase(source), foldedDatabase(target)]);
  return one === other;
}

/** By what a server is known again: MySQL's own UUID. MariaDB has none, so that it is what was set up there, or its cluster's UUID. */
export async function serverIdentity(session: Session): Promise<string> {
  if (!session.server.maria) {
    const [[uuid] = []] = await session.query("SELECT @@GLOBAL.server_uuid");
    return `mysql ${uuid}`;
  }
  const [[, cluster] = []] = await session.query("SHOW GLOBAL STATUS LIKE 'wsrep_cluster_state_uuid'");
  if (cluster) return `mariadb cluster ${cluster}`;
  const [setup = []] = await session.query(
    // Not its host's name: a container that is made anew over the same data has another one.
    "SELECT @@GLOBAL.port, @@GLOBAL.datadir, @@GLOBAL.server_id, @@GLOBAL.gtid_domain_id",
  );
  return `mariadb ${createHash("sha256").update(JSON.stringify(setup)).digest("hex").slice(0, 32)}`;
}

/** The session's database as its server tells names apart. */
export async function foldedDatabase(session: Session): Promise<string> {
  const [[name, folded] = []] = await session.query("SELECT DATABASE(), @@lower_case_table_names");
  return folded === "0" ? (name ?? "") : (name ?? "").toLowerCase();
}

/** Before anything is written. Errors: `same_database`, those of `connectTarget`. */
export async function refuseSameDatabase(source: Session, target: Endpoint, signal: AbortSignal): Promise<void> {
  const session = await connectTarget(target, { program: "rowferry look", signal });
  try {
    if (await isSameDatabase(source, session)) throw sameDatabase();
  } finally {
    await session.end();
  }
}

export const sameDatabase = () =>
  new EngineError("same_database", "source and target are the same database: name two different ones");
