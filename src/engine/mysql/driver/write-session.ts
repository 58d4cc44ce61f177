import type { Endpoint } from "../../contract/index.ts";
import { MysqlError } from "./errors.ts";
import { connect, type Server, type Session, type SessionPurpose } from "./session.ts";
import { set } from "./settings.ts";

/** Sessions that write: pinned so that every value arrives as it was sent, or the statement says so. */

export type TargetPurpose = Pick<SessionPurpose, "program" | "signal" | "statementTimeout">;

/** What a value must not be changed by; a date may be any, as it may in the server that it comes from. */
const targetMode = "NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ALLOW_INVALID_DATES";

/** MySQL 8 has no such mode any more: there a GRANT makes no account, elsewhere it would make one without a password. */
export const makesAccounts = ({ maria, version }: Server): boolean => maria || version < 80000;

export const targetModeOf = (server: Server): string =>
  makesAccounts(server) ? `${targetMode},NO_AUTO_CREATE_USER` : targetMode;

/** Opens, logs in and pins. Errors: EngineError of errors.ts. */
export async function connectTarget(endpoint: Endpoint, purpose: TargetPurpose): Promise<Session> {
  const session = await connect(endpoint, { role: "target", loads: true, ...purpose });
  try {
    const { maria, version } = session.server;
    await set(session, [
      ["sql_mode", targetModeOf(session.server)],
      ["foreign_key_checks", "0"],
      ["unique_checks", "1"],
      ["autocommit", "1"],
      ["sql_notes", "0"],
    ]);
    await pinKeys(session);
    if (!maria && version >= 80400) await tried(session, "SET SESSION restrict_fk_on_non_standard_key = 0");
    await tried(session, "SET SESSION explicit_defaults_for_timestamp = 1");
    return session;
  } catch (error) {
    await session.end();
    throw error;
  }
}

/** Tables without a primary key stay so, where the user may say that. */
export async function pinKeys(session: Session): Promise<void> {
  const { maria, version } = session.server;
  if (!maria && version >= 80013) await tried(session, "SET SESSION sql_require_primary_key = 0");
  if (!maria && version >= 80030) await tried(session, "SET SESSION sql_generate_invisible_primary_key = 0");
}

/** Not known to the server, not to be set on a session, or not by this user: what then fails says so itself. */
const unsettable = new Set([1193, 1227, 1229, 1238, 1232]);

async function tried(session: Session, sql: string): Promise<void> {
  try {
    await session.run(sql);
  } catch (error) {
    if (!unsettable.has(errorNumber(error) ?? 0)) throw error;
  }
}

/** The server's number of an error, where it is the server's. */
export const errorNumber = (error: unknown): number | undefined => {
  const cause = error instanceof Error && error.cause instanceof MysqlError ? error.cause : error;
  return cause instanceof MysqlError ? cause.number : undefined;
};

/** The user lacks the right: to the database, to the table or by name. */
const denied = new Set([1044, 1142, 1227]);

export const isDenied = (error: unknown): boolean => denied.has(errorNumber(error) ?? 0);
