import { kinds } from "../../cluster/index.ts";
import type { CheckedUrl } from "../../guard/check.ts";
import { type BackupSchedule, scheduleSpecSchema } from "../../resources/backup/schedule.ts";
import { labels } from "../../resources/group.ts";
import { Problem } from "../errors.ts";
import { nameOfMade } from "../migrations/keys/idempotency.ts";
import { urlDigest } from "../migrations/view/places.ts";
import { checkOne } from "../migrations/view/urls.ts";
import type { Caller, World } from "../world.ts";
import { requireBackups } from "./enabled.ts";
import type { BackupCreate } from "./input.ts";
import { mostSchedules } from "./kept.ts";
import { type CreateRequest, madeBefore, make, stamps } from "./make.ts";
import { marks } from "./marks.ts";
import { checkEndpoint, sealedSource, sealedStorage } from "./sealed.ts";
import type { BackupResponse } from "./shapes.ts";
import { backupMade } from "./shown.ts";
import { withGiven } from "./spec.ts";

/**
 * Creates a BackupSchedule in the acting team's namespace; nothing is dialled. With a key, a repeat of the same body gets the same schedule
 * and the same answer. Throws Problem `backups_disabled`, `url_refused`, `invalid`, `idempotency_key_reused`, `limit_reached`,
 * `state_conflict`, `busy`, `unavailable`.
 */
export async function createBackup(
  world: World,
  caller: Caller,
  input: BackupCreate,
  idempotencyKey?: string,
): Promise<BackupResponse> {
  requireBackups(world);
  const of = {
    kind: kinds.backupSchedules,
    noun: "backup schedule",
    name: nameOfMade(world, caller, "/api/backups", idempotencyKey),
    keyed: idempotencyKey !== undefined,
    body: input,
  };
  return answer((await madeBefore<BackupSchedule>(world, caller, of)) ?? (await makeNew(world, caller, input, of)));
}

async function makeNew(
  world: World,
  caller: Caller,
  input: BackupCreate,
  of: Omit<CreateRequest<BackupSchedule>, "draft">,
): Promise<BackupSchedule> {
  const { database_url, database_ca, name: title, storage, ...given } = input;
  const database = checkOne("database_url", database_url, database_ca, world.settings.guard);
  if (storage?.endpoint !== undefined) checkEndpoint(world, storage.endpoint);
  const interval = given.interval === undefined && given.cron === undefined ? ("daily" as const) : undefined;
  const { name } = of;
  const own = caller.team.status?.namespace;
  const others = own === undefined ? [] : await world.client.list(kinds.backupSchedules, { namespace: own });
  if (others.length >= mostSchedules)
    throw new Problem("limit_reached", `A team has at most ${mostSchedules} backup schedules: delete one first.`);
  return make(world, caller, {
    ...of,
    async draft(namespace) {
      const place = { namespace, name };
      const parsed = scheduleSpecSchema.parse({
        source: {},
        ...(interval === undefined ? {} : { interval }),
        ...(storage === undefined ? {} : { storage: await sealedStorage(world, place, storage) }),
        ...(database_ca === undefined ? {} : { options: { source_ca: database_ca } }),
      });
      const spec = withGiven(parsed, given);
      return {
        metadata: {
          ...place,
          // By it the operator shares the slots of runs among accounts.
          labels: { [labels.account]: caller.account.metadata.name },
          annotations: {
            ...stamps(world, input),
            ...databaseMark(world, database),
            ...(title === undefined ? {} : { [marks.title]: title }),
          },
        },
        spec: { ...spec, source: await sealedSource(world, place, spec, database_url) },
      };
    },
  });
}

export const databaseMark = ({ secret }: Pick<World, "secret">, url: CheckedUrl): Record<string, string> => ({
  [marks.database]: urlDigest(secret, url, "database"),
});

const answer = (made: BackupSchedule): BackupResponse => ({
  message: made.spec.suspend
    ? "The schedule is created, suspended: no run starts by itself."
    : "The schedule is created. POST /api/backups/{id}/run takes a first backup now.",
  backup: backupMade(made),
});
