// Images of others that this project starts from, each by its tag and the digest of its list of platforms.

export type Pin = { name: string; tag: string; digest: string };

/**
 * The databases' official images. Each digest was found in several public repositories beside this tag; a newer one is
 * what `docker buildx imagetools inspect mysql:8.4` prints as Digest.
 */
export const databasePins = {
  mysql: {
    name: "mysql",
    tag: "8.4",
    digest: "sha256:6ea90827b1100f8f2ae306a539f86d2c264a26ed435a2a9f75551dd5c3aeb242",
  },
  mariadb: {
    name: "mariadb",
    tag: "11.4",
    digest: "sha256:70cc072b29b4a89ae07abb2d4da2c64678a7f2dfe092751bb51c87d67dc1338b",
  },
  postgres: {
    name: "postgres",
    tag: "18",
    digest: "sha256:5a5a84b19854a9ffaa54082c166ff4ec27473a361e496e5ea167f298f2da9722",
  },
} as const satisfies Record<string, Pin>;

/** Whether images are taken by their tags alone: those that were imported by hand have digests of their own. */
export const byTag = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  environment["ROWFERRY_IMAGES"] === "by-tag";

/** `name:tag@digest`, or `name:tag` where ROWFERRY_IMAGES=by-tag says so. */
export const pinned = ({ name, tag, digest }: Pin, environment?: NodeJS.ProcessEnv): string =>
  byTag(environment) ? `${name}:${tag}` : `${name}:${tag}@${digest}`;
