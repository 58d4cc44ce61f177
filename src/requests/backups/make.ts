import { alreadyExists } from "../../cluster/index.ts";
import type { Metadata } from "../../resources/metadata.ts";
import type { Kind, KubeObject } from "../../resources/objects.ts";
import { Problem } from "../errors.ts";
import { bodyDigest } from "../migrations/keys/idempotency.ts";
import { whenReady } from "../migrations/namespace.ts";
import { refusalOf } from "../refusal.ts";
import type { Caller, World } from "../world.ts";
import { marks } from "./marks.ts";

/**
 * Creates an object once for each Idempotency-Key: its name follows from the key, and a digest of the body stands on it, so that a
 * repeat meets its own object and another body is refused.
 */
export interface CreateRequest<T extends Made> {
  kind: Kind<T>;
  /** In words, as `restore`. */
  noun: string;
  name: string;
  /** Whether the name follows from an Idempotency-Key. */
  keyed: boolean;
  body: unknown;
  /** With the annotations of `stamps`. */
  draft(namespace: string): Promise<{ metadata: Metadata; spec: T["spec"] }>;
}

type Made = KubeObject & { spec: object };

/** Annotations of everything that `make` creates. */
export const stamps = (world: Pick<World, "secret" | "now">, body: unknown): Record<string, string> => ({
  [marks.createdAt]: world.now().toISOString(),
  [marks.body]: bodyDigest(world.secret, body),
});

/** What the key made before; undefined where it is new. Throws Problem `idempotency_key_reused`, `state_conflict`. */
export async function madeBefore<T extends Made>(
  world: Pick<World, "client" | "secret">,
  { team }: Pick<Caller, "team">,
  making: Omit<CreateRequest<T>, "draft">,
): Promise<T | undefined> {
  const namespace = team.status?.namespace;
  if (!making.keyed || namespace === undefined) return undefined;
  const found = await world.client.get(making.kind, namespace, making.name);
  return found === undefined ? undefined : checkRepeat(world, making, found);
}

/** Throws Problem `idempotency_key_reused`, `state_conflict`, `limit_reached`, `invalid`, `busy`, `unavailable`. */
export async function make<T extends Made>(world: World, caller: Caller, making: CreateRequest<T>): Promise<T> {
  const { kind, noun, name, keyed, draft } = making;
  const made = await whenReady(world, caller, async (namespace) => {
    // What the API server fills in is left out.
    const object = (await draft(namespace)) as unknown as T;
    try {
      return await world.client.create(kind, object);
    } catch (error) {
      if (!keyed || !alreadyExists(error)) throw refusalOf(error, `${noun}s`, `The ${noun} is refused`);
      const before = await world.client.get(kind, namespace, name);
      if (before === undefined) throw wasDeleted(noun);
      return before;
    }
  });
  return checkRepeat(world, making, made);
}

function checkRepeat<T extends Made>(
  { secret }: Pick<World, "secret">,
  { noun, body }: Pick<CreateRequest<T>, "noun" | "body">,
  found: T,
): T {
  if (found.metadata.annotations?.[marks.body] !== bodyDigest(secret, body))
    throw new Problem(
      "idempotency_key_reused",
      `This Idempotency-Key was used for a ${noun} with another body: use a new key for another ${noun}.`,
    );
  if (found.metadata.deletionTimestamp !== undefined) throw wasDeleted(noun);
  return found;
}

const wasDeleted = (noun: string) =>
  new Problem("state_conflict", `The ${noun} that this Idempotency-Key made was deleted: use another key.`);
