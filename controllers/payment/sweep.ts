import { type CurrentCheckout, orphanKey, releaseOf } from "../../src/billing/orphan.ts";
import type { ListedCheckout } from "../../src/billing/seen.ts";
import type { Payments } from "../../src/billing/stripe.ts";
import { type Client, type Informer, kinds } from "../../src/cluster/index.ts";
import type { Migration } from "../../src/resources/migration.ts";

/** Releases checkouts and holds of this installation that no Migration names. */

/** Milliseconds: a hold is open for seven days at most, after a page that was open for one. */
const oldest = 9 * 24 * 3_600_000;

interface SweepOptions {
  payments: Pick<Payments, "list" | "expire" | "cancel">;
  client: Pick<Client, "get">;
  migrations: Pick<Informer<Migration>, "get">;
  installation: string;
  /** True only while this process is the leader; asked before every effect. */
  leads: () => boolean;
  now: () => Date;
}

const presentOf = (migration: Migration | undefined): CurrentCheckout | undefined => migration?.spec.payment?.checkout;

/** One pass over Stripe's list; returns how many were released. */
export async function sweep(options: SweepOptions): Promise<number> {
  const { payments, client, migrations, installation, leads, now } = options;
  let released = 0;
  const since = new Date(now().getTime() - oldest);
  for await (const listed of payments.list(since, installation)) {
    if (!leads()) return released;
    const { about } = listed.seen;
    if (about === undefined) continue;
    const { namespace, name } = about;
    // The cache may be behind: the API server has the last word.
    if (releaseOf(listed, presentOf(migrations.get(namespace, name)), now()) === undefined) continue;
    const live = await client.get(kinds.migrations, namespace, name);
    if (await release(options, listed, presentOf(live))) released += 1;
  }
  return released;
}

async function release(
  { payments, leads, now }: SweepOptions,
  listed: ListedCheckout,
  present: CurrentCheckout | undefined,
) {
  const act = releaseOf(listed, present, now());
  if (act === undefined || !leads()) return false;
  if (act.kind === "expire") await payments.expire(act.session);
  else await payments.cancel(act.intent, orphanKey(act.intent, now()));
  return true;
}

/** Milliseconds between two sweeps: doubled from the least to the most while nothing is found. */
const wait = { least: 60_000, most: 6 * 3_600_000 };

/** Sweeps until the signal aborts. */
export async function keepSweeping({
  run,
  pause,
  signal,
  problem,
  first = wait.least,
}: {
  run: () => Promise<number>;
  pause: (milliseconds: number) => Promise<void>;
  signal: AbortSignal;
  problem: (error: unknown) => void;
  first?: number;
}): Promise<void> {
  for (let next = first; !signal.aborted; ) {
    await pause(next);
    if (signal.aborted) return;
    try {
      next = (await run()) > 0 ? first : Math.min(next * 2, wait.most);
    } catch (error) {
      problem(error);
      next = Math.min(next * 2, wait.most);
    }
  }
}
