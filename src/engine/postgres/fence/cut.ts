import { type Endpoint, EngineError } from "../../contract/index.ts";
import { superseded } from "../../run/fence/succession.ts";
import { connect, type Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { findTable } from "./table.ts";

/** A session that another worker of the same run ended looks like a lost one: what the fence's table says is the cause. */

/** Name of sessions that only look: no successor ends them. */
export const lookName = "rowferry look";

const cutCodes = new Set(["server_shutdown", "connection_lost"]);
const betweenMs = 250;
/** Whoever ends sessions raises the epoch a moment later. */
const patienceMs = 2_000;
/** While another worker is seen to open the fence. */
const longestMs = 60_000;

const isCut = (error: unknown) => error instanceof EngineError && cutCodes.has(error.code);

/**
 * Answers the error to throw: `superseded`, where `look` finds it so, or else `error`. `opening`: the name of sessions that
 * open the fence.
 */
export async function causeOfCut(
  error: unknown,
  target: Endpoint,
  opening: string,
  look: (session: Session) => Promise<void>,
): Promise<unknown> {
  const begun = performance.now();
  for (;;) {
    let another = false;
    try {
      const session = await connect(target, { role: "target", applicationName: lookName });
      try {
        await look(session);
        another = await isThere(session, opening);
      } finally {
        await session.end();
      }
    } catch (found) {
      if (found instanceof EngineError && found.code === "superseded") return found;
      if (!isCut(found)) return error;
    }
    if (!isCut(error) || performance.now() - begun > (another ? longestMs : patienceMs)) return error;
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
}

async function isThere(session: Session, name: string): Promise<boolean> {
  const rows = await session.query(
    "SELECT FROM pg_catalog.pg_stat_activity WHERE datname = pg_catalog.current_database() AND application_name = $1",
    [name],
  );
  return rows.length > 0;
}

/** What an opening knows of the fence: the epoch that it found first, 0 for none, and which transaction of its own raised it. */
export interface FenceOpening {
  epoch?: number;
  transaction?: string;
}

const none = { epoch: 0, transaction: "" };

export async function readOpening(session: Session, owner: string): Promise<Required<FenceOpening>> {
  const found = await findTable(session);
  if (found === undefined) return none;
  const [row] = await session
    .query<Required<FenceOpening>>(
      `SELECT epoch, xmin::pg_catalog.text AS transaction FROM ${found.table} WHERE kind = 'fence' AND name = $1`,
      [owner],
    )
    .catch((error: unknown) => {
      // Dropped at this moment.
      if (sqlState(error) === "42P01") return [];
      throw error;
    });
  return row ?? none;
}

/** Errors: `superseded`, when another than this opening has raised the epoch since it looked first. */
export async function lookWhoRaised(session: Session, owner: string, first: FenceOpening): Promise<void> {
  const now = await readOpening(session, owner);
  if (first.epoch !== undefined && now.epoch > first.epoch && now.transaction !== first.transaction) throw superseded();
}
