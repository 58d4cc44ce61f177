import type { Account } from "../resources/account.ts";
import type { Migration } from "../resources/migration.ts";
import type { KubeObject } from "../resources/objects.ts";
import { createCounts } from "./counts.ts";
import { Problem } from "./errors.ts";

/**
 * What one account, and all of them together, may have in the cluster's store, so that nobody fills it: Migrations, teams, bytes of both
 * with their reports, and runs that wait. What is there is counted from the caches; what a call of this replica is about to add counts
 * from the check on, so that many at once pass no ceiling. Each replica counts by itself.
 */
export const counted = ["migrations", "teams", "bytes", "waiting"] as const;
type Counted = (typeof counted)[number];
type Amounts = Record<Counted, number>;
/** 0: no ceiling. */
type CeilingLimits = Record<"account" | "installation", Amounts>;

/** What one object adds, and to whose account; without one it counts for the installation alone. */
interface Share {
  account: string | undefined;
  adds: Partial<Amounts>;
}

export interface Ceilings {
  limits: CeilingLimits;
  /** Told of each object that appears, changes or goes, by what identifies it; undefined: it is gone. */
  set(key: string, share: Share | undefined): void;
  /**
   * Runs an action that adds so much, which counts until it has ended. Throws Problem `limit_reached` where that is above a ceiling.
   */
  within<T>(account: string, adds: Partial<Amounts>, action: () => Promise<T>): Promise<T>;
  used(): Amounts;
  /** The most that any account has of each. */
  mostOfOne(): Amounts;
}

const of = (amounts: Amounts | Partial<Amounts>, what: Counted): number => amounts[what] ?? 0;
const none = (): Amounts => ({ migrations: 0, teams: 0, bytes: 0, waiting: 0 });

export function createCeilings(limits: CeilingLimits): Ceilings {
  const shares = new Map<string, Share>();
  const used = none();
  const byAccount = Object.fromEntries(counted.map((what) => [what, createCounts()])) as Record<
    Counted,
    ReturnType<typeof createCounts>
  >;
  const add = ({ account, adds }: Share, times: 1 | -1) => {
    for (const what of counted) {
      const by = times * of(adds, what);
      used[what] += by;
      if (account !== undefined && by !== 0) byAccount[what].change(account, by);
    }
  };
  return {
    limits,
    set(key, share) {
      const before = shares.get(key);
      if (before !== undefined) add(before, -1);
      if (share === undefined) shares.delete(key);
      else {
        shares.set(key, share);
        add(share, 1);
      }
    },
    async within(account, adds, action) {
      for (const what of counted) {
        const more = of(adds, what);
        if (more === 0) continue;
        refuseAbove("account", what, limits.account[what], byAccount[what].of(account) + more);
        refuseAbove("installation", what, limits.installation[what], used[what] + more);
      }
      const share = { account, adds };
      add(share, 1);
      try {
        return await action();
      } finally {
        add(share, -1);
      }
    },
    used: () => ({ ...used }),
    mostOfOne() {
      const most = none();
      for (const what of counted) most[what] = byAccount[what].most();
      return most;
    },
  };
}

const megabyte = 1 << 20;
const names: Record<Counted, string> = {
  migrations: "migrations",
  teams: "teams",
  bytes: "MiB of migrations and reports",
  waiting: "migrations that wait to run",
};
const fixes: Record<Counted, string> = {
  migrations: "Delete a migration first",
  teams: "Use a team that you have",
  bytes: "Delete migrations first",
  waiting: "Wait until some have run",
};

function refuseAbove(scope: "account" | "installation", what: Counted, limit: number, count: number): void {
  if (limit === 0 || count <= limit) return;
  const shown = what === "bytes" ? limit / megabyte : limit;
  const whose = scope === "account" ? "Your account" : "This installation";
  const setting = `ceilings.${scope}.${what === "bytes" ? "megabytes" : what}`;
  throw new Problem(
    "limit_reached",
    `${whose} is limited to ${shown} ${names[what]}. ${fixes[what]}, or ask your administrator to raise \`${setting}\`.`,
  );
}

/** Of a Migration as the API server has it; `isWaiting`: whether its run waits for its start. */
export function shareOfMigration(migration: Migration, account: string | undefined, isWaiting: boolean): Share {
  const bytes = bytesOf(migration) + (migration.status?.report?.bytes ?? 0);
  return { account, adds: { migrations: 1, bytes, ...(isWaiting ? { waiting: 1 } : {}) } };
}

/** Bytes of an object's JSON. */
export const bytesOf = (object: KubeObject | object): number => Buffer.byteLength(JSON.stringify(object));

/** Runs what adds so much to the caller's account. Throws Problem `limit_reached`. */
export const underCeilings = <T>(
  { ceilings }: { ceilings?: Ceilings },
  { account }: { account: Account },
  adds: Partial<Amounts>,
  action: () => Promise<T>,
): Promise<T> => (ceilings === undefined ? action() : ceilings.within(account.metadata.name, adds, action));
