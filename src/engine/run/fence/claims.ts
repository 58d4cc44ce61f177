import { fullName } from "../../contract/text/full-name.ts";

/** What runs into one target make there, by names: they may go on beside each other as long as no two make the same. */
export interface NameClaim {
  kind: string;
  /** As full-name.ts writes it. */
  name: string;
}

/** Kinds of which a target may have its own of the same name, and which several runs may need. */
export const sharedKinds = new Set(["schema", "extension", "language", "cast", "foreign data wrapper"]);
/** They come and go with another object. */
export const partKinds = new Set(["column", "constraint", "trigger", "rule", "policy"]);
/** No two of a schema have one name. */
export const relationKinds = new Set([
  ...["table", "view", "materialized view", "sequence", "foreign table", "index", "type", "domain"],
]);

/** The name that it takes: equal for two that cannot be in one target. */
export const takenName = ({ kind, name }: NameClaim): string =>
  `${relationKinds.has(kind) ? "relation" : kind} ${name}`;

/** What several runs may claim at once: the last of them drops it. */
const sharedPrefix = "shared ";

/** A run in the fence's table. */
export interface Claimant {
  /** Quoted. */
  table: string;
  owner: string;
  epoch: number;
}

/** How the fence's table has a claim: rows of kind `claim`, this in `name` and the claim's kind in `body`. */
export const claimKey = (claim: NameClaim): string =>
  `${sharedKinds.has(claim.kind) ? sharedPrefix : ""}${takenName(claim)}`;

/** The claim of such a row. */
export function claimOfKey(key: string, kind: string): NameClaim {
  const taken = key.startsWith(sharedPrefix) ? key.slice(sharedPrefix.length) : key;
  return { kind, name: taken.slice(takenName({ kind, name: "" }).length) };
}

/** By their keys, each once. */
export const claimsByKey = (claims: readonly NameClaim[]): Map<string, NameClaim> =>
  new Map(claims.map((claim) => [claimKey(claim), claim]));

/** Every run that an earlier version began claims all: its table does not say what it makes. */
export const everything: NameClaim = { kind: "database", name: "*" };

/** The relations of a list of made objects. */
export const claimsOf = (made: readonly { kind: string; name: readonly string[] }[]): NameClaim[] =>
  made.flatMap(({ kind, name }) =>
    relationKinds.has(kind) || kind === "schema" ? [{ kind, name: fullName(...name) }] : [],
  );
