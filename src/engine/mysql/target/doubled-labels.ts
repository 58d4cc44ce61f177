import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber, targetModeOf } from "../driver/write-session.ts";

/**
 * A list of an ENUM or SET with a label that is there twice: a table that has one was made without strict mode, in which alone
 * it can be made again or altered. Its values are told apart by their numbers, not by their texts.
 */

const doubledLabel = 1291;

/** Without strict mode a warning: a key was cut, a column got another type, a default was left out or cut. */
const changed = new Set([1071, 1101, 1246, 1264, 1265, 1292, 1366, 1406]);

/** Strict modes refuse a doubled label. */
const lenient = (mode: string) => mode.replace(/,STRICT_\w+/g, "");

/**
 * Runs DDL of a table, without strict mode where that refuses a doubled label. Errors: the refusal, where the server would also
 * change what the statement says.
 */
export async function runTableDdl(session: Session, sql: string): Promise<void> {
  try {
    await session.run(sql);
  } catch (error) {
    if (errorNumber(error) !== doubledLabel) throw error;
    await session.run(`SET SESSION sql_mode = ${literal(lenient(targetModeOf(session.server)))}`);
    try {
      await session.run(sql);
      const warnings = await session.query("SHOW WARNINGS");
      if (warnings.some(([, number]) => changed.has(Number(number)))) throw error;
    } finally {
      await session.run(`SET SESSION sql_mode = ${literal(targetModeOf(session.server))}`);
    }
  }
}
