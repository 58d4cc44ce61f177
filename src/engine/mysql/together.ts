import { snapshotPosition } from "./log-position.ts";
import type { Session } from "./session.ts";
import { unloggedWrites } from "./unlogged.ts";

/**
 * Begins the snapshots of several MariaDB sessions at one state, without a lock.
 *
 * MariaDB takes a snapshot and its place in the binary log under the mutex under which logged transactions become visible:
 * sessions at one place see the same of these. Servers whose log is known not to have all writes are refused (unlogged.ts).
 * What a session writes with `sql_log_bin = 0` nobody else can know: such a commit takes a number of InnoDB's transaction
 * counter shortly before it becomes visible, and that counter must not move from before the first snapshot until after the
 * last. That is evidence, no proof (1 in 4,889 openings was torn by a session that did nothing else), so the run says it.
 *
 * MySQL couples nothing with a snapshot: `gtid_executed` and the log's end move at another moment than rows become visible.
 */
export interface Together {
  /** The sessions see one state. */
  one: boolean;
  tries: number;
  /** Why not, as a clause for the report. */
  why: string;
}

const most = 300;

export async function beginTogether(
  control: Session,
  readers: readonly Session[],
  begin: (sessions: readonly Session[]) => Promise<void>,
): Promise<Together> {
  const not = (why: string, tries = 0): Together => ({ one: false, tries, why });
  if (!control.server.maria) return not("MySQL does not show whether several connections see one state");
  const unlogged = await unloggedWrites(control);
  if (unlogged !== undefined) return not(unlogged);
  let before = await counter(control);
  for (let tries = 1; before !== undefined && tries <= most; tries++) {
    await begin(readers);
    const after = await counter(control);
    if (before === after && (await areAtOnePlace(readers))) {
      // Something that began to write meanwhile, such as XA, shows by now.
      const late = await unloggedWrites(control);
      return late === undefined ? { one: true, tries, why: "" } : not(late, tries);
    }
    before = after;
  }
  return not(`something was written while they began, in each of ${most} tries`, most);
}

async function counter(session: Session): Promise<string | undefined> {
  const [[, value] = []] = await session.query("SHOW STATUS LIKE 'Innodb_max_trx_id'");
  return value ?? undefined;
}

/** One after the other: of sessions that ask at once one may be sent the other's place. */
async function areAtOnePlace(readers: readonly Session[]): Promise<boolean> {
  const places = new Set<string>();
  for (const reader of readers) {
    const place = await snapshotPosition(reader);
    places.add(JSON.stringify(place));
    if (place === undefined || places.size > 1) return false;
  }
  return true;
}
