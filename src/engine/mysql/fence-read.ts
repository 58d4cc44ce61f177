import { everything } from "../claims.ts";
import type { Endpoint } from "../contract.ts";
import type { FoundRun, OthersClaim } from "../fence.ts";
import { fenceTable, findTable } from "./fence-table.ts";
import { readRecords } from "./records.ts";
import type { Session } from "./session.ts";
import { connectTarget } from "./target.ts";

/** Whose `_rowferry` stands in a MySQL target; nothing is changed and no running copy is disturbed. */
export async function readFence(target: Endpoint, signal: AbortSignal): Promise<FoundRun[]> {
  const session = await connectTarget(target, { program: "rowferry look", signal });
  try {
    if (!(await findTable(session, target.database))) return [];
    const table = fenceTable(target.database);
    const [[owner, ownerName, epoch] = []] = await session.query(
      `SELECT name, body, epoch FROM ${table} WHERE kind = 'fence' ORDER BY id LIMIT 1`,
    );
    if (owner === undefined || owner === null) return [];
    const [[results] = []] = await session.query(`SELECT COUNT(*) FROM ${table} WHERE kind = 'result'`);
    const made = (await readRecords(session, table)).map(({ object }) => object);
    return [{ owner, ownerName: ownerName ?? "", epoch: Number(epoch), made, finished: results !== "0" }];
  } finally {
    await session.end();
  }
}

/** Another run than `owner` has the database to itself. */
export async function readOthersClaims(session: Session, database: string, owner: string): Promise<OthersClaim[]> {
  if (!(await findTable(session, database))) return [];
  const rows = await session.query(
    `SELECT name, body, epoch FROM ${fenceTable(database)} WHERE kind = 'fence' ORDER BY id LIMIT 1`,
  );
  return rows
    .filter(([name]) => name !== owner)
    .map(([name, body, epoch]) => ({
      ...everything,
      owner: name ?? "",
      ownerName: body ?? "",
      epoch: Number(epoch),
    }));
}
