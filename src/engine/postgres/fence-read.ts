import type { Endpoint, MadeObject } from "../contract.ts";
import type { FoundRun } from "../fence.ts";
import { connect } from "./connection.ts";
import { lookName } from "./cut.ts";
import { findTable } from "./fence-table.ts";

/** Whose `_rowferry` stands in a PostgreSQL target; nothing is changed and no running copy is disturbed. */
export async function readFence(target: Endpoint, signal: AbortSignal): Promise<FoundRun | undefined> {
  const session = await connect(target, { role: "target", applicationName: lookName, signal });
  try {
    const found = await findTable(session);
    if (found === undefined) return undefined;
    await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const rows = await session.query<{ kind: string; name: string; epoch: number; body: string | null }>(
      `SELECT kind, name, epoch, CASE WHEN kind = 'fence' THEN body END AS body FROM ${found.table}
        WHERE kind IN ('fence', 'made', 'result') ORDER BY id`,
    );
    await session.run("COMMIT");
    const fence = rows.find(({ kind }) => kind === "fence");
    if (fence === undefined) return undefined;
    return {
      owner: fence.name,
      ownerName: fence.body ?? "",
      epoch: fence.epoch,
      made: rows.filter(({ kind }) => kind === "made").map(({ name }) => JSON.parse(name) as MadeObject),
      finished: rows.some(({ kind }) => kind === "result"),
    };
  } finally {
    await session.end();
  }
}
