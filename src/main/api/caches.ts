import { type Connection, type KubeObject, startInformer } from "../../cluster/index.ts";
import { bytesOf, type Ceilings, shareOfMigration } from "../../requests/ceilings.ts";
import { longestSilence } from "../../requests/freshness/fresh.ts";
import { createGroups } from "../../requests/groups.ts";
import { createMigrationOrder } from "../../requests/migrations/view/order.ts";
import { shownState } from "../../requests/migrations/view/shown.ts";
import { trimWithin } from "../../requests/migrations/view/trim.ts";
import type { World } from "../../requests/world.ts";
import type { Account } from "../../resources/account.ts";
import { labels } from "../../resources/group.ts";
import type { Migration } from "../../resources/migration.ts";
import { type Kind, kinds } from "../../resources/objects.ts";
import { present } from "../../resources/present.ts";
import type { Team } from "../../resources/team.ts";
import type { ApiToken } from "../../resources/token.ts";

/**
 * What the API keeps of the cluster in memory: Migrations, as far as they are shown, and Teams, Accounts and tokens, without
 * what Kubernetes alone reads. They say what there is to list and to find; who may do something they say only where `world.fresh` holds them to it.
 */

/** Metadata without who wrote which field, most of a small object. */
const plain = <T extends KubeObject>({ metadata, ...rest }: T): T => {
  const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels, ownerReferences } = metadata;
  const kept = { name, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels, ownerReferences };
  return { ...rest, metadata: present(kept) } as unknown as T;
};

const keyOf = (kind: string, object: KubeObject | undefined): string => `${kind} ${object?.metadata.uid}`;

export function createApiCaches(
  connection: Connection,
  options: {
    ceilings: Ceilings;
    resync: number;
    now: () => number;
    random: () => number;
    signal: AbortSignal;
    problem: (what: string) => (error: unknown) => void;
  },
): World["caches"] {
  const { problem, ceilings, ...common } = options;
  const order = createMigrationOrder();
  const kept = trimWithin();
  const teamsByMember = createGroups<Team>(({ spec }) => spec.members.map(({ account }) => account));
  const tokensByAccount = createGroups<ApiToken>(({ spec }) => [spec.account]);
  /** Who calls is told by them: a connection that died without a word must show soon. */
  const closely = { watchFor: (2 * longestSilence) / 3, idle: longestSilence };
  const watched = <T extends KubeObject>(
    kind: Kind<T>,
    trim: (object: T) => T,
    changed: (before: T | undefined, after: T | undefined) => void = () => {},
  ) =>
    startInformer(connection, {
      ...common,
      ...closely,
      kind,
      trim,
      changed,
      problem: problem(`watching ${kind.plural}`),
    });
  /** Before it is trimmed: a list shows neither its account nor its size. */
  const weighed = (migration: Migration) => {
    const account = migration.metadata.labels?.[labels.account];
    const share = shareOfMigration(migration, account, shownState(migration) === "pending");
    ceilings.set(keyOf("migration", migration), share);
    return kept.trim(migration);
  };
  return {
    order,
    teamsByMember,
    tokensByAccount,
    migrations: watched(kinds.migrations, weighed, (before, after) => {
      if (after === undefined) ceilings.set(keyOf("migration", before), undefined);
      kept.changed(before, after);
      order.changed(before, after);
    }),
    teams: watched(kinds.teams, plain, (before, after) => {
      const account = after?.metadata.labels?.[labels.account];
      ceilings.set(keyOf("team", after ?? before), after && { account, adds: { teams: 1, bytes: bytesOf(after) } });
      teamsByMember.changed(before, after);
    }),
    accounts: watched<Account>(kinds.accounts, plain),
    tokens: watched(kinds.tokens, plain, tokensByAccount.changed),
  };
}
