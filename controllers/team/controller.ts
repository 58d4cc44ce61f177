import { isDeepStrictEqual } from "node:util";
import { alreadyExists, type Client, isConflict, isNotFound, kinds, type Recorder } from "../../src/cluster/index.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { labels } from "../../src/resources/group.ts";
import { namespaceOf, type Team } from "../../src/resources/team.ts";
import { type Act, decide, type Observed } from "./decide.ts";
import type { TeamObject, TeamSettings } from "./owned-objects.ts";

/** The effects of the Team's reconciler: reads what is there, does what `decide` says, saves the status once. */
export interface TeamController {
  /** One pass over the Team of this name. */
  reconcile(name: string): Promise<{ lookAgain?: number }>;
  /** To be told of every change of a team's namespace, or of what is made in it, that the cache sees; answers the Teams to look at. */
  pieceChanged(before: TeamObject | undefined, after: TeamObject | undefined): string[];
}

interface TeamControllerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  recorder: Recorder;
  settings: TeamSettings;
  now: () => Date;
}

/** Rounds of reading, deciding and acting in one pass; others may write meanwhile. */
const rounds = 5;
const manager = "rowferry-controller";

export function createTeamController({ client, recorder, settings, now }: TeamControllerOptions): TeamController {
  async function observe(team: Team): Promise<Observed> {
    const name = namespaceOf(team.metadata.name);
    const [namespace, quota, policy, binding] = await Promise.all([
      client.get(kinds.namespaces, "", name),
      client.get(kinds.quotas, name, installed.teamQuota),
      client.get(kinds.networkPolicies, name, installed.teamPolicy),
      client.get(kinds.roleBindings, name, installed.api),
    ]);
    return {
      team,
      ...(namespace ? { namespace } : {}),
      ...(quota ? { quota } : {}),
      ...(policy ? { policy } : {}),
      ...(binding ? { binding } : {}),
    };
  }

  async function perform(act: Act): Promise<void> {
    const write = act.verb === "create" ? client.create : client.update;
    switch (act.what) {
      case "namespace":
        await write(kinds.namespaces, act.object);
        return;
      case "quota":
        await write(kinds.quotas, act.object);
        return;
      case "policy":
        await write(kinds.networkPolicies, act.object);
        return;
      case "binding":
        await write(kinds.roleBindings, act.object);
    }
  }

  async function save(team: Team, status: NonNullable<Team["status"]>): Promise<void> {
    if (isDeepStrictEqual(team.status ?? {}, status)) return;
    const { name, uid, resourceVersion } = team.metadata;
    const metadata = { name, namespace: "", ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
    await client.applyStatus(kinds.teams, { metadata, status }, manager);
    const [ready] = status.conditions ?? [];
    const [before] = team.status?.conditions ?? [];
    if (ready?.reason !== before?.reason && (ready?.reason === "NamespaceTaken" || ready?.reason === "RightsTaken"))
      recorder.record(
        { ...team, apiVersion: kinds.teams.apiVersion, kind: "Team" },
        { type: "Warning", reason: ready.reason, note: ready.message },
      );
  }

  return {
    async reconcile(name) {
      // Live, since the uid decides whose a namespace is: the cache may still show an earlier Team of the name.
      const team = await client.get(kinds.teams, "", name);
      if (team === undefined || team.metadata.deletionTimestamp !== undefined) return {};
      try {
        let plan = decide(await observe(team), settings, now());
        for (let round = 1; plan.acts.length > 0 && round < rounds; round += 1) {
          for (const act of plan.acts) await perform(act).catch(ignoreRace);
          plan = decide(await observe(team), settings, now());
        }
        await save(team, plan.status);
        return plan.lookAgain === undefined ? {} : { lookAgain: plan.lookAgain };
      } catch (error) {
        // Somebody wrote meanwhile, or deleted the Team or its namespace: the next pass sees which.
        if (isConflict(error) || isNotFound(error)) return { lookAgain: 300 };
        throw error;
      }
    },
    pieceChanged(before, after) {
      if (before?.mark === after?.mark) return [];
      // One whose label was taken off is told as gone.
      return [before, after].flatMap((piece) => piece?.metadata.labels?.[labels.team] ?? []);
    },
  };
}

/** Another wrote first: the next round sees what. */
function ignoreRace(error: unknown): void {
  if (!alreadyExists(error) && !isConflict(error)) throw error;
}
