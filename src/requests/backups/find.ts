import { kinds } from "../../cluster/index.ts";
import type { Restore } from "../../resources/backup/restore.ts";
import type { BackupRun } from "../../resources/backup/run.ts";
import type { BackupSchedule } from "../../resources/backup/schedule.ts";
import type { Kind } from "../../resources/objects.ts";
import { Problem } from "../errors.ts";
import { isOfTeam, namespaceFor, notFound, ofOtherTeam } from "../migrations/find.ts";
import { isId, publicId } from "../migrations/keys/id.ts";
import type { Caller, World } from "../world.ts";

/**
 * Schedules, runs and restores of the acting team, read live: each as the API server has it now. Throws Problem `other_team` where another
 * team has what the API named so, and `not_found` where nobody does, or while it is being deleted.
 */

type Named = BackupSchedule | Restore;

const isPresent = (object: { metadata: { deletionTimestamp?: string } }): boolean =>
  object.metadata.deletionTimestamp === undefined;

async function find<T extends Named>(
  world: World,
  caller: Caller,
  { kind, noun }: { kind: Kind<T>; noun: string },
  id: string,
): Promise<T> {
  if (!isId(id)) throw notFound(noun);
  const namespace = await namespaceFor(world, caller);
  const own = namespace === undefined ? undefined : await findOwn(world, kind, namespace, id);
  if (own !== undefined) {
    if (isPresent(own)) return own;
    throw notFound(noun);
  }
  // The API server compares names without reading the objects' contents.
  const others = await world.client.list(kind, { fieldSelector: `metadata.name=${id}`, limit: 10 });
  const foreign = others.some((one) => isPresent(one) && isOfTeam(world, one.metadata.namespace));
  throw foreign ? ofOtherTeam(noun) : notFound(noun);
}

/** By its name, or by the uid where `kubectl` named it. */
async function findOwn<T extends Named>({ client }: World, kind: Kind<T>, namespace: string, id: string) {
  const named = await client.get(kind, namespace, id);
  if (named !== undefined) return named;
  return (await client.list(kind, { namespace })).find((one) => publicId(one) === id);
}

export const findBackup = (world: World, caller: Caller, id: string): Promise<BackupSchedule> =>
  find(world, caller, { kind: kinds.backupSchedules, noun: "backup schedule" }, id);

export const findRestore = (world: World, caller: Caller, id: string): Promise<Restore> =>
  find(world, caller, { kind: kinds.restores, noun: "restore" }, id);

/** A schedule whose runs are looked at. It may be deleted by now, while its runs were kept. */
export interface RunsOwner {
  namespace: string;
  /** As its runs name it. */
  name: string;
  /** Public id. */
  id: string;
  schedule?: BackupSchedule;
}

export async function findRunsOwner(world: World, caller: Caller, id: string): Promise<RunsOwner> {
  try {
    const schedule = await findBackup(world, caller, id);
    const { namespace, name } = schedule.metadata;
    return { namespace, name, id: publicId(schedule), schedule };
  } catch (error) {
    const namespace = await namespaceFor(world, caller);
    if (!(error instanceof Problem) || error.code !== "not_found" || namespace === undefined || !isId(id)) throw error;
    const owner = { namespace, name: id, id };
    const [kept] = await runsOf(world, owner);
    if (kept === undefined) throw error;
    return owner;
  }
}

/** Those that are not being deleted. */
export async function runsOf({ client }: World, { namespace, name }: RunsOwner): Promise<BackupRun[]> {
  const found = await client.list(kinds.backupRuns, { namespace, fieldSelector: `spec.schedule=${name}` });
  return found.filter(isPresent);
}

/** A name of Kubernetes; nothing else is sent to its API server. */
const isName = (text: string): boolean => /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text);

/** A run of this very schedule. Throws Problem `not_found`. */
export async function findRun({ client }: World, { namespace, name }: RunsOwner, run: string): Promise<BackupRun> {
  const found = isName(run) ? await client.get(kinds.backupRuns, namespace, run) : undefined;
  if (found === undefined || !isPresent(found) || found.spec.schedule !== name)
    throw new Problem(
      "not_found",
      "This backup schedule has no run with this id: GET /api/backups/{id}/runs lists them.",
    );
  return found;
}
