import { fullName } from "./full-name.ts";

/** What runs into one target make there, by names: they may go on beside each other as long as no two make the same. */
export interface Claim {
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
export const takenName = ({ kind, name }: Claim): string => `${relationKinds.has(kind) ? "relation" : kind} ${name}`;

/** Every run that an earlier version began claims all: its table does not say what it makes. */
export const everything: Claim = { kind: "database", name: "*" };

/** The relations of a list of made objects. */
export const claimsOf = (made: readonly { kind: string; name: readonly string[] }[]): Claim[] =>
  made.flatMap(({ kind, name }) =>
    relationKinds.has(kind) || kind === "schema" ? [{ kind, name: fullName(...name) }] : [],
  );
