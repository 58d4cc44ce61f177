import type { Queue } from "../../../controllers/runtime/queue.ts";
import { createTeamController, type TeamController } from "../../../controllers/team/controller.ts";
import { isOwned, type TeamObject, type TeamSettings, trimPiece } from "../../../controllers/team/owned-objects.ts";
import {
  type Client,
  type Connection,
  type Informer,
  noInformer,
  type Recorder,
  startInformer,
} from "../../cluster/index.ts";
import { labels } from "../../resources/group.ts";
import { type Kind, type KubeObject, kinds } from "../../resources/objects.ts";
import { present } from "../../resources/present.ts";
import { teamOf } from "../../resources/team.ts";

/**
 * The Teams' part of the operator: what wakes a pass, and one leader's term of passes. Only names are kept of what is watched. Teams and
 * their namespaces are objects of the cluster: an operator that works in some namespaces alone has none.
 */
interface Teams {
  /** None where Teams are not watched. */
  caches: Record<string, Informer<KubeObject>>;
  /** Whether the namespace is named like that of a Team that exists. */
  isTeam(namespace: string): boolean;
  /** Looks at every Team once, then at each that changes, until the queue is closed. */
  lead(term: {
    client: Client;
    recorder: Recorder;
    /** Its own, so that many teams never hold up a Migration. */
    queue: Queue;
    settings: TeamSettings;
    now: () => Date;
    loop: (reconcile: TeamController["reconcile"]) => Promise<void>;
  }): Promise<void>;
}

/**
 * Whether the operator made the namespace for a Team, as both are now: somebody else may have taken the name, and makes pods there as he
 * likes.
 */
export async function isMadeForTeam(client: Pick<Client, "get">, namespace: string): Promise<boolean> {
  const name = teamOf(namespace);
  if (name === undefined) return false;
  const [team, found] = await Promise.all([
    client.get(kinds.teams, "", name),
    client.get(kinds.namespaces, "", namespace),
  ]);
  return team !== undefined && found !== undefined && isOwned(found, team);
}

export function watchTeams(
  connection: Connection,
  common: { namespaces: string[]; resync: number; now: () => number; random: () => number; signal: AbortSignal },
  problem: (what: string) => (error: unknown) => void,
): Teams {
  let term: { queue: Queue; controller: TeamController } | undefined;
  const tell = (names: string[]) => {
    for (const name of names) term?.queue.add(name);
  };
  const isWatched = common.namespaces.length === 0;
  const watchPiece = (kind: Kind<KubeObject>) =>
    startInformer<TeamObject>(connection, {
      ...common,
      kind,
      labelSelector: labels.team,
      trim: trimPiece,
      changed: (before, after) => tell(term?.controller.pieceChanged(before, after) ?? []),
      problem: problem(`watching teams' ${kind.plural}`),
    });
  const watchTeam = () =>
    startInformer<KubeObject>(connection, {
      ...common,
      kind: kinds.teams,
      trim: ({ metadata: { name, uid, resourceVersion, generation } }) => ({
        metadata: present({ name, uid, resourceVersion, generation }),
      }),
      changed: (before, after) => {
        // Their status is written here.
        if (after && before?.metadata.generation !== after.metadata.generation) tell([after.metadata.name]);
      },
      problem: problem("watching Teams"),
    });
  const teams = isWatched ? watchTeam() : noInformer(common.now);
  return {
    isTeam(namespace) {
      const team = teamOf(namespace);
      return team !== undefined && teams.get("", team) !== undefined;
    },
    caches: isWatched
      ? {
          teams,
          namespaces: watchPiece(kinds.namespaces),
          quotas: watchPiece(kinds.quotas),
          policies: watchPiece(kinds.networkPolicies),
          bindings: watchPiece(kinds.roleBindings),
        }
      : {},
    async lead({ queue, loop, ...options }) {
      const controller = createTeamController(options);
      term = { queue, controller };
      for (const team of teams.all()) queue.add(team.metadata.name);
      await loop(controller.reconcile);
      term = undefined;
    },
  };
}
