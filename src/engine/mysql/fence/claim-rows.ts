import {
  type Claimant,
  claimKey,
  claimOfKey,
  claimsByKey,
  everything,
  type NameClaim,
} from "../../run/fence/claims.ts";
import { type OthersClaim, refuseTaken } from "../../run/fence/fence.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { deleteRows, type FenceTable, findTable, ownedRows } from "./table.ts";

/**
 * Which names each run of a target's database claims: rows of kind `claim`, written before its first object is made or
 * dropped. All of this happens within `registering` (register.ts), so that no two runs look at the same time.
 */

interface Row {
  id: number;
  owner: string;
  key: string;
  kind: string;
}

/** Rows that are read at once: the list of a run with many tables is never held as a whole. */
const together = 5000;

async function* readClaims(session: Session, found: FenceTable): AsyncGenerator<Row[]> {
  for (let last = 0; ; ) {
    const rows = await session.query(
      `SELECT id, owner, name, body FROM ${ownedRows(found)} r WHERE id > ${last} AND kind = 'claim' ORDER BY id LIMIT ${together}`,
    );
    yield rows.map(([id, owner, key, kind]) => ({
      id: Number(id),
      owner: owner ?? "",
      key: key ?? "",
      kind: kind ?? "",
    }));
    if (rows.length < together) return;
    last = Number(rows.at(-1)?.[0]);
  }
}

type Run = Pick<OthersClaim, "owner" | "ownerName" | "epoch">;

async function readRuns(session: Session, found: FenceTable): Promise<Map<string, Run>> {
  const rows = await session.query(`SELECT owner, body, epoch FROM ${ownedRows(found)} r WHERE kind = 'fence'`);
  return new Map(
    rows.map(([owner, ownerName, epoch]) => [
      owner ?? "",
      { owner: owner ?? "", ownerName: ownerName ?? "", epoch: Number(epoch) },
    ]),
  );
}

/** What other runs than `owner` claim in this target; one of an earlier version claims everything. */
export async function readOthersClaims(session: Session, database: string, owner: string): Promise<OthersClaim[]> {
  const found = await findTable(session, database);
  if (found === undefined) return [];
  const runs = await readRuns(session, found);
  runs.delete(owner);
  if (found.single) return [...runs.values()].map((run) => ({ ...run, ...everything }));
  const claims: OthersClaim[] = [];
  for await (const rows of readClaims(session, found))
    for (const { owner, key, kind } of rows) {
      const run = runs.get(owner);
      if (run !== undefined) claims.push({ ...run, ...claimOfKey(key, kind) });
    }
  return claims;
}

/** Of these names, those that the run has never claimed. */
export async function notClaimed(
  session: Session,
  { table, owner }: Claimant,
  names: readonly NameClaim[],
): Promise<NameClaim[]> {
  if (names.length === 0) return [];
  const rows = await session.query(
    `SELECT name FROM ${table} WHERE kind = 'claim' AND owner = ${literal(owner)} AND name IN (${names.map((name) => literal(claimKey(name))).join(", ")})`,
  );
  const own = new Set(rows.map(([key]) => key ?? ""));
  return names.filter((name) => !own.has(claimKey(name)));
}

/**
 * Claims these, in a transaction of `fenced`, which has passed the guard. Errors: `target_in_use`, which names what another
 * run claims of them.
 */
export async function claim(
  session: Session,
  { table, owner, epoch }: Claimant,
  claims: readonly NameClaim[],
  fenced: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const found = { table, single: false };
  const wanted = claimsByKey(claims);
  const runs = await readRuns(session, found);
  const general = claimKey(everything);
  const over: number[] = [];
  const others: OthersClaim[] = [];
  for await (const rows of readClaims(session, found))
    for (const { id, owner: of, key, kind } of rows) {
      if (of === owner) {
        wanted.delete(key);
        if (key === general) over.push(id);
        continue;
      }
      const run = runs.get(of);
      if (run !== undefined && (key === general || wanted.has(key))) others.push({ ...run, ...claimOfKey(key, kind) });
    }
  refuseTaken(table, others);
  const values = [...wanted].map(
    ([key, { kind }]) => `(${literal(owner)}, 'claim', ${literal(key)}, ${epoch}, ${literal(kind)})`,
  );
  await fenced(async () => {
    for (const some of await inPieces(session, values))
      await session.run(`INSERT INTO ${table} (owner, kind, name, epoch, body) VALUES ${some}`);
    await deleteRows(session, table, over);
  });
}

/** Bytes of a statement, at most, where the server takes as many. */
const pieceBytes = 256 * 1024;

/** Values joined to as few texts as a statement may have. */
async function inPieces(session: Session, values: readonly string[]): Promise<string[]> {
  const [[packet] = []] = await session.query("SELECT @@max_allowed_packet");
  const most = Math.min(pieceBytes, Number(packet) / 2);
  const pieces: string[][] = [];
  let bytes = 0;
  for (const value of values) {
    const length = Buffer.byteLength(value) + 2;
    if (pieces.length === 0 || bytes + length > most) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)?.push(value);
    bytes += length;
  }
  return pieces.map((piece) => piece.join(", "));
}

/** Of a run whose table an earlier version made, until it has said what it makes. All rows of that table are its own. */
export const claimEverything = (session: Session, { table }: FenceTable): Promise<unknown> =>
  session.run(
    `INSERT INTO ${table} (kind, name, epoch, body) VALUES ('claim', ${literal(claimKey(everything))}, 0, ${literal(everything.kind)})`,
  );
