import { createHash } from "node:crypto";
import { kinds, resourceVersionNumber } from "../../cluster/index.ts";
import { writerOf } from "../../resources/log.ts";
import type { Migration } from "../../resources/migration.ts";
import type { Caller, World } from "../world.ts";
import { findMigration } from "./find.ts";
import type { One } from "./view/shapes.ts";
import { logsOf, one, shownState } from "./view/shown.ts";

/**
 * What happens to a Migration, as it happens, until its run has ended or it is deleted. The reader's place is in each event's id, so
 * nothing is kept for a reader: what it has not seen is found by comparing its place with what is there now.
 */

/** What a reader has seen: the last log entry of each of the log's two writers, and which status. */
interface Position {
  controller: string;
  worker: string;
  status: string;
  ended: boolean;
}

export type MigrationEvent =
  | { id: string; event: "log"; data: One["logs"][number] }
  | { id: string; event: "status"; data: Omit<One, "logs" | "options"> }
  | { id: string; event: "end"; data: { status: "completed" | "failed" | "deleted" } };

const start: Position = { controller: "", worker: "", status: "", ended: false };

const positionText = ({ controller, worker, status, ended }: Position): string =>
  `${controller}~${worker}~${status}${ended ? "~end" : ""}`;

/** From Last-Event-ID; whatever is none begins at the beginning. */
export function readPosition(text: string | undefined): Position {
  const parts = /^([0-9a-z-]{0,32})~([0-9a-z-]{0,32})~([0-9a-f]{0,16})(~end)?$/.exec(text ?? "");
  if (parts === null) return start;
  const [, controller = "", worker = "", status = "", end] = parts;
  return { controller, worker, status, ended: end !== undefined };
}

/** What a reader at this position has not seen: entries of the log, then the status, then the end. Pure. */
export function eventsSince(migration: Migration, from: Position, currency: string): MigrationEvent[] {
  const events: MigrationEvent[] = [];
  let position: Position = { ...from, ended: false };
  for (const entry of logsOf(migration.status?.log, migration.metadata.namespace)) {
    const writer = writerOf(entry) === "c" ? "controller" : "worker";
    if (entry.id <= position[writer]) continue;
    position = { ...position, [writer]: entry.id };
    events.push({ id: positionText(position), event: "log", data: entry });
  }
  const { logs: _logs, options: _options, ...data } = one(migration, currency);
  const status = createHash("sha256").update(JSON.stringify(data)).digest("hex").slice(0, 16);
  if (status !== position.status) {
    position = { ...position, status };
    events.push({ id: positionText(position), event: "status", data });
  }
  const state = shownState(migration);
  if (state !== "completed" && state !== "failed") return events;
  if (events.length > 0 || !from.ended)
    events.push({ id: positionText({ ...position, ended: true }), event: "end", data: { status: state } });
  return events;
}

/** Milliseconds between looks at the cache; only a change there is read. */
const look = 250;

/**
 * Opens the stream; undefined where the reader has seen the end, so that it need not come again. Throws Problem `not_found`,
 * `other_team`.
 */
export async function events(
  world: World,
  caller: Caller,
  id: string,
  lastEventId?: string,
): Promise<((signal: AbortSignal) => AsyncIterable<MigrationEvent>) | undefined> {
  const first = await findMigration(world, caller, id);
  const from = readPosition(lastEventId);
  const { currency } = world.settings;
  if (from.ended && eventsSince(first, from, currency).length === 0 && isOver(first)) return undefined;
  return (signal) => follow(world, first, from, signal);
}

const isOver = (migration: Migration): boolean => {
  const state = shownState(migration);
  return state === "completed" || state === "failed";
};

async function* follow(
  world: World,
  first: Migration,
  from: Position,
  signal: AbortSignal,
): AsyncGenerator<MigrationEvent> {
  const { uid } = first.metadata;
  let position = from;
  let migration: Migration | undefined = first;
  let seen = first.metadata.resourceVersion;
  while (migration?.metadata.uid === uid && migration.metadata.deletionTimestamp === undefined) {
    for (const event of eventsSince(migration, position, world.settings.currency)) {
      position = readPosition(event.id);
      yield event;
      if (event.event === "end") return;
    }
    seen = await changed(world, migration, seen, signal);
    if (signal.aborted) return;
    migration = await newer(world, migration);
  }
  yield { id: positionText({ ...position, ended: true }), event: "end", data: { status: "deleted" } };
}

/**
 * As it is now: from the cache where that has a newer one, since otherwise each change of one that many follow would be read live for each of
 * them; else live. Never older than what was shown.
 */
async function newer({ client, fresh }: World, { metadata: shown }: Migration): Promise<Migration | undefined> {
  const { namespace, name } = shown;
  const cached = await fresh.migration(namespace, name).catch(() => undefined);
  const isNewer =
    resourceVersionNumber(cached?.metadata.resourceVersion) > resourceVersionNumber(shown.resourceVersion);
  return isNewer ? cached : client.get(kinds.migrations, namespace, name);
}

/** Resolves when the cache has another version than was seen there last, which it answers, or after the signal. */
async function changed(
  { caches, pause }: World,
  { metadata: { namespace, name, resourceVersion } }: Migration,
  seen: string,
  signal: AbortSignal,
): Promise<string> {
  while (!signal.aborted) {
    const now = caches.migrations.get(namespace, name)?.metadata.resourceVersion ?? "none";
    if (now !== seen && now !== resourceVersion) return now;
    await pause(look);
  }
  return seen;
}
