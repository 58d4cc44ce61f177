import { makeSealingKey, type PrivateKey } from "../../src/guard/seal.ts";
import type { Migration } from "../../src/resources/migration.ts";

/**
 * The keys that sealed URLs are opened with. The first is the one to seal to. Rotation, by schedule or when asked for, puts a new one
 * before it; one that was replaced is kept while a Migration's sealed URL names it, and at least for a day, since a URL sealed to it may be under way.
 */
export interface KeptKey extends PrivateKey {
  /** ISO time; a key of an earlier version does not say. */
  madeAt?: string;
  /** ISO time from which another one was the first. */
  retiredAt?: string;
}

/** Annotation of the operator's Secret, with any value: asks for a new first key. It is taken off when the key is there. */
export const rotateAnnotation = "rowferry.dev/rotate-sealing-key";

/** Milliseconds. */
const keptAtLeast = 86_400_000;

/**
 * The keys as they should be, or undefined when they are. `named`: ids that Migrations' URLs name; unknown before all were read. `lasts`:
 * milliseconds after which the first key is replaced; for ever without.
 */
export async function sealingAfter(
  keys: readonly KeptKey[],
  asked: {
    rotate: boolean;
    lasts?: number | undefined;
    named: ReadonlySet<string> | undefined;
    now: Date;
    id: () => string;
  },
): Promise<KeptKey[] | undefined> {
  const { lasts, named, now } = asked;
  const [present] = keys;
  const isOld =
    lasts !== undefined && now.getTime() - Date.parse(present?.madeAt ?? new Date(0).toISOString()) >= lasts;
  // A retired one is first where the platform's keys were sealed to until now.
  const rotate = asked.rotate || isOld || present?.retiredAt !== undefined;
  const kept = needed(keys, named, now);
  if (keys.length > 0 && !rotate) return kept.length === keys.length ? undefined : kept;
  const first: KeptKey = { ...(await makeSealingKey(asked.id())), madeAt: now.toISOString() };
  return [first, ...kept.map((key) => ({ ...key, retiredAt: key.retiredAt ?? now.toISOString() }))];
}

const needed = (keys: readonly KeptKey[], named: ReadonlySet<string> | undefined, now: Date): KeptKey[] =>
  keys.filter(
    ({ id, retiredAt }) =>
      retiredAt === undefined ||
      named === undefined ||
      named.has(id) ||
      now.getTime() - Date.parse(retiredAt) < keptAtLeast,
  );

/** Where the platform's keys are sealed to: all of these are retired. Undefined when they are as they should be. */
export function sealingRetired(
  keys: readonly KeptKey[],
  named: ReadonlySet<string> | undefined,
  now: Date,
): KeptKey[] | undefined {
  const kept = needed(keys, named, now);
  if (kept.length === keys.length && kept.every(({ retiredAt }) => retiredAt !== undefined)) return undefined;
  return kept.map((key) => ({ ...key, retiredAt: key.retiredAt ?? now.toISOString() }));
}

/** Ids of the keys that these sealed URLs were sealed to. */
export function namedKeys(...sealed: readonly (Iterable<string> | undefined)[]): Set<string> {
  const ids = new Set<string>();
  for (const some of sealed)
    for (const one of some ?? []) {
      const [version, id] = one.split(".");
      if ((version === "v1" || version === "v2") && id) ids.add(id);
    }
  return ids;
}

export function* sealedUrls(migrations: Iterable<Pick<Migration, "spec">>): Generator<string> {
  for (const { spec } of migrations)
    for (const { sealedUrl } of [spec.source, spec.target]) if (sealedUrl !== undefined) yield sealedUrl;
}
