import type { MadeObject } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import {
  type Claimant,
  claimKey,
  claimOfKey,
  claimsByKey,
  claimsOf,
  everything,
  type NameClaim,
  sharedKinds,
} from "../../run/fence/claims.ts";
import { type OthersClaim, refuseTaken } from "../../run/fence/fence.ts";
import type { Session } from "../driver/connection.ts";
import { literal } from "../driver/names.ts";
import { type FenceTable, findTable, ownedRows } from "./table.ts";

/**
 * Which names each run of a target claims: rows of kind `claim`, written before its first object is made or dropped. All of
 * this happens in transactions of `registering` (register.ts), so that no two runs look at the same time.
 */

interface Row {
  owner: string;
  ownerName: string;
  epoch: number;
  kind: string;
  name: string;
}

/** `names`: as rows have them, all where they are left out. */
async function claimsIn(
  session: Session,
  found: Pick<FenceTable, "table" | "single">,
  owner: string,
  names?: readonly string[],
): Promise<OthersClaim[]> {
  const rows = ownedRows(found);
  const some =
    names === undefined
      ? ""
      : `AND c.name IN (SELECT pg_catalog.json_array_elements_text(${literal(JSON.stringify(names))}))`;
  const claims = await session.query<Row>(
    `SELECT c.owner, f.body AS "ownerName", f.epoch, c.body AS kind, c.name FROM ${rows} c JOIN ${rows} f ON f.kind = 'fence' AND f.owner = c.owner
      WHERE c.kind = 'claim' AND c.owner <> $1 ${some} ORDER BY c.id`,
    [owner],
  );
  return claims.map(({ name, kind, ...run }) => ({ ...run, ...claimOfKey(name, kind) }));
}

/** What other runs than `owner` claim in this target; one of an earlier version claims everything. */
export async function readOthersClaims(session: Session, owner: string): Promise<OthersClaim[]> {
  const found = await findTable(session);
  if (found === undefined) return [];
  if (!found.single) return (await claimsIn(session, found, owner)).filter(({ kind }) => !sharedKinds.has(kind));
  const [fence] = await session.query<{ owner: string; ownerName: string; epoch: number }>(
    `SELECT name AS owner, body AS "ownerName", epoch FROM ${found.table} WHERE kind = 'fence' AND name <> $1`,
    [owner],
  );
  return fence === undefined ? [] : [{ ...fence, ...everything }];
}

/** Claims these and what the run has made, in the open transaction. Errors: `target_in_use`, which names what another run claims of them. */
export async function claim(
  session: Session,
  { table, owner, epoch }: Claimant,
  claims: readonly NameClaim[],
  made: readonly MadeObject[],
): Promise<void> {
  const wanted = claimsByKey([...claims, ...claimsOf(made)]);
  const exclusive = [...wanted].flatMap(([key, { kind }]) => (sharedKinds.has(kind) ? [] : [key]));
  refuseTaken(table, await claimsIn(session, { table, single: false }, owner, [...exclusive, claimKey(everything)]));
  await session.query(
    `INSERT INTO ${table} (owner, kind, name, epoch, body)
     SELECT $1, 'claim', r.name, $2, r.kind FROM pg_catalog.json_to_recordset($3::pg_catalog.json) AS r (name text, kind text)
      WHERE NOT EXISTS (SELECT FROM ${table} c WHERE c.kind = 'claim' AND c.owner = $1 AND c.name = r.name)`,
    [owner, epoch, JSON.stringify([...wanted].map(([name, { kind }]) => ({ name, kind })))],
  );
  await session.query(`DELETE FROM ${table} WHERE kind = 'claim' AND owner = $1 AND name = $2`, [
    owner,
    claimKey(everything),
  ]);
}

/** Of a run whose table an earlier version made, until it has said what it makes. */
export const claimEverything = (session: Session, { table, owner, epoch }: Claimant): Promise<unknown> =>
  session.query(`INSERT INTO ${table} (owner, kind, name, epoch, body) VALUES ($1, 'claim', $2, $3, $4)`, [
    owner,
    claimKey(everything),
    epoch,
    everything.kind,
  ]);

/**
 * Leaves a shared object to another run that claims it too, whose reset then drops it, in the open transaction. Answers that
 * run's name; undefined where no other needs the object.
 */
export async function leaveToOther(
  session: Session,
  { table, owner }: Claimant,
  object: MadeObject,
): Promise<string | undefined> {
  if (!sharedKinds.has(object.kind)) return undefined;
  const name = claimKey({ kind: object.kind, name: fullName(...object.name) });
  const [other] = await claimsIn(session, { table, single: false }, owner, [name, claimKey(everything)]);
  if (other === undefined) return undefined;
  await session.query(`INSERT INTO ${table} (owner, kind, name, epoch) VALUES ($1, 'made', $2, $3)`, [
    other.owner,
    JSON.stringify({ kind: object.kind, name: object.name, id: object.id }),
    other.epoch,
  ]);
  return other.ownerName;
}
