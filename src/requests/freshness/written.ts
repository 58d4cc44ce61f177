import { ClusterError, kinds, resourceVersionNumber } from "../../cluster/index.ts";
import { installed } from "../../resources/crd/installed.ts";
import type { Kind, KubeObject } from "../../resources/objects.ts";
import { change } from "../update-with-retry.ts";
import type { ApiSettings, World } from "../world.ts";

/**
 * The note of what replicas wrote, one ConfigMap of the installation: by a kind's plural, the resourceVersion that every cache of the kind
 * must have reached before anybody is let in by it. One read of it stands for a live read of every object of these kinds. A note that is
 * made anew knows nothing of what the one before it said: so the first replica that meets it writes there its own resourceVersion, which is
 * above all of that, for every kind; until then it says nothing.
 */
export interface WrittenVersion {
  /** Resolves when the note says something, or there is none. A cache that is listed later is new enough by it. Throws as `raise` does. */
  begin(): Promise<void>;
  /** By a kind's plural; undefined where the note cannot be read for what it is, or is new: then nothing is known. Throws ClusterError. */
  read(): Promise<ReadonlyMap<string, bigint> | undefined>;
  /** Resolves when the note says no less than this, or there is none. Throws ClusterError, and Problem `busy`. */
  raise(kind: Kind<KubeObject>, resourceVersion: string): Promise<void>;
}

/** The key of the version that holds for every kind. */
const since = "since";
const noted = [kinds.accounts, kinds.teams, kinds.tokens, kinds.migrations].map(({ plural }) => plural);

/** A note of something else than versions says nothing, nor does one that is new. */
function versionsOf(data: Record<string, string>): ReadonlyMap<string, bigint> | undefined {
  const versions = new Map(Object.entries(data).map(([of, text]) => [of, resourceVersionNumber(text)]));
  const least = versions.get(since);
  if (least === undefined || [...versions.values()].includes(0n)) return undefined;
  return new Map(
    noted.map((plural) => {
      const version = versions.get(plural) ?? 0n;
      return [plural, version > least ? version : least];
    }),
  );
}

/** An installation whose rights are of an earlier version has no note. */
function unlessForbidden(error: unknown): undefined {
  if (error instanceof ClusterError && error.code === "Forbidden") return undefined;
  throw error;
}

export function createWritten(
  world: Pick<World, "client" | "pause" | "randomBytes"> & { settings: Pick<ApiSettings, "namespace"> },
): WrittenVersion {
  const { namespace } = world.settings;
  /** The highest that anybody here asked for. */
  const asked = new Map<string, bigint>();
  let last: Promise<void> = Promise.resolve();
  /** Not begun, so that it has whatever is asked for until it begins. */
  let next: Promise<void> | undefined;

  async function write(): Promise<void> {
    // Without a note nothing is believed of caches: what is read live is new.
    await change(world, kinds.configMaps, namespace, installed.apiWrites, (map) => {
      const { data = {}, metadata } = map;
      const isNew = resourceVersionNumber(data[since]) === 0n;
      const higher = [...asked].filter(([plural, version]) => resourceVersionNumber(data[plural]) < version);
      if (higher.length === 0 && !isNew) return undefined;
      const raised = Object.fromEntries(higher.map(([of, version]) => [of, String(version)]));
      const first = isNew ? { [since]: metadata.resourceVersion ?? "" } : {};
      return { ...map, data: { ...data, ...first, ...raised } };
    });
  }

  function writing(): Promise<void> {
    if (next === undefined) {
      next = last.then(() => {
        next = undefined;
        return write().catch(unlessForbidden);
      });
      last = next.catch(() => {});
    }
    return next;
  }

  return {
    begin: writing,
    async read() {
      try {
        const map = await world.client.get(kinds.configMaps, namespace, installed.apiWrites);
        // Whoever reads has no need of it now; a later read tries again.
        if (map !== undefined && map.data?.[since] === undefined) writing().catch(() => {});
        return map && versionsOf(map.data ?? {});
      } catch (error) {
        return unlessForbidden(error);
      }
    },
    async raise({ plural }, resourceVersion) {
      const version = resourceVersionNumber(resourceVersion);
      if (version === 0n) throw new Error(`a version of ${plural} that is no number`);
      if (version > (asked.get(plural) ?? 0n)) asked.set(plural, version);
      await writing();
    },
  };
}
