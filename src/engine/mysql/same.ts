import { randomUUID } from "node:crypto";
import { type Endpoint, EngineError } from "../contract.ts";
import { literal } from "./names.ts";
import { takeLock } from "./predecessors.ts";
import type { Session } from "./session.ts";
import { connectTarget } from "./target.ts";

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
  const [one, other] = await Promise.all([named(source), named(target)]);
  return one === other;
}

/** The session's database as its server tells names apart. */
async function named(session: Session): Promise<string> {
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
