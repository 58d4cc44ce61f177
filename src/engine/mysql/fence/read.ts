import type { Endpoint } from "../../contract/index.ts";
import type { FoundRun } from "../../run/fence/fence.ts";
import { connectTarget } from "../driver/write-session.ts";
import { readRecords } from "./records.ts";
import { findTable, ownedRows } from "./table.ts";

/** The runs in a MySQL target's `_rowferry`; nothing is changed and no running copy is disturbed. */
export async function readFence(target: Endpoint, signal: AbortSignal): Promise<FoundRun[]> {
  const session = await connectTarget(target, { program: "rowferry look", signal });
  try {
    const found = await findTable(session, target.database);
    if (found === undefined) return [];
    const rows = ownedRows(found);
    const fences = await session.query(`SELECT owner, body, epoch FROM ${rows} r WHERE kind = 'fence' ORDER BY id`);
    const finished = await session.query(`SELECT DISTINCT owner FROM ${rows} r WHERE kind = 'result'`);
    const runs: FoundRun[] = [];
    for (const [owner, ownerName, epoch] of fences) {
      if (owner === null || owner === undefined) continue;
      runs.push({
        owner,
        ownerName: ownerName ?? "",
        epoch: Number(epoch),
        made: (await readRecords(session, rows, owner)).map(({ object }) => object),
        finished: finished.some(([of]) => of === owner),
      });
    }
    return runs;
  } finally {
    await session.end();
  }
}
