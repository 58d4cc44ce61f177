import type { Endpoint, MadeObject } from "../../contract/index.ts";
import type { FoundRun } from "../../run/fence/fence.ts";
import { connect } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { lookName } from "./cut.ts";
import { findTable, ownedRows } from "./table.ts";

/** The runs in a PostgreSQL target's `_rowferry`; nothing is changed and no running copy is disturbed. */
export async function readFence(target: Endpoint, signal: AbortSignal): Promise<FoundRun[]> {
  const session = await connect(target, { role: "target", applicationName: lookName, signal });
  try {
    const found = await findTable(session);
    if (found === undefined) return [];
    await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const rows = await session
      .query<{ owner: string; kind: string; name: string; epoch: number; body: string | null }>(
        `SELECT owner, kind, name, epoch, CASE WHEN kind = 'fence' THEN body END AS body FROM ${ownedRows(found)} r
          WHERE kind IN ('fence', 'made', 'result') ORDER BY id`,
      )
      .catch((error: unknown) => {
        // Dropped at this moment.
        if (sqlState(error) === "42P01") return [];
        throw error;
      });
    await session.run("COMMIT");
    return rows
      .filter(({ kind }) => kind === "fence")
      .map(({ owner, epoch, body }) => {
        const its = rows.filter((row) => row.owner === owner);
        return {
          owner,
          ownerName: body ?? "",
          epoch,
          made: its.filter(({ kind }) => kind === "made").map(({ name }) => JSON.parse(name) as MadeObject),
          finished: its.some(({ kind }) => kind === "result"),
        };
      });
  } finally {
    await session.end();
  }
}
