import { printable } from "../../contract/text/printable.ts";
import { identifier } from "../driver/names.ts";

/** Which roles a target's user may give objects to, and why objects of other roles stay with the user. */

/** SQL of a condition on a role's `oid`: the user may give objects to it. */
export const actAs = (version: number, oid = "oid"): string =>
  `pg_catalog.pg_has_role(${oid}, '${version >= 160_000 ? "SET" : "MEMBER"}')`;

export type OwnerStays =
  | { owner: string; user: string; why: "unknown" | "not a member" }
  /** `message`: the server's; `schema`: of the object. */
  | { owner: string; user: string; why: "refused"; schema: string | undefined; message: string };

/** The schema alone whose objects stay, for a sentence; empty: all of the role's. */
export const schemaOf = (stays: OwnerStays): string =>
  stays.why === "refused" && stays.schema !== undefined ? ` in schema ${printable(stays.schema)}` : "";

/** The reason without its object, and the statements that help. */
export function ownerReason(stays: OwnerStays): { reason: string; fix: string } {
  const owner = printable(stays.owner);
  const user = printable(stays.user);
  const member = printable(`GRANT ${identifier(stays.owner)} TO ${identifier(stays.user)}`);
  if (stays.why !== "refused")
    return stays.why === "unknown"
      ? {
          reason: `the target has no role ${owner}`,
          fix: `create the role in the target and run ${member} before the copy`,
        }
      : {
          reason: `${user} is not a member of ${owner} in the target`,
          fix: `run ${member} in the target before the copy`,
        };
  if (stays.schema === undefined) return { reason: stays.message, fix: "" };
  const schema = printable(identifier(stays.schema));
  return {
    reason: stays.message,
    fix: `run GRANT CREATE ON SCHEMA ${schema} TO ${printable(identifier(stays.owner))} in the target before the copy`,
  };
}

/** For a warning of a copy: the objects now belong to the user. */
export function ownerStays(stays: OwnerStays): string {
  const { reason, fix } = ownerReason(stays);
  return `objects of role ${printable(stays.owner)}${schemaOf(stays)} belong to ${printable(stays.user)} in the target: ${reason}${fix === "" ? "" : ` (${fix})`}`;
}
