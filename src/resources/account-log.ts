import * as z from "zod";
import type { Resource } from "./metadata.ts";

/** More would make the object large: it is at most about 60 KB, one for each account. */
export const mostAccountEvents = 100;

const accountEventSchema = z.object({
  id: z.string().min(1).max(40).describe("Tells events of the same time apart."),
  at: z.iso.datetime().describe("When the call ended."),
  verb: z.string().min(1).max(80).describe("The operation, such as `createMigration`."),
  address: z.string().max(45).optional().describe("The IP address of the caller."),
  token: z.string().max(20).optional().describe("The id of the token."),
  session: z.string().max(40).optional().describe("The id of the session, where there was no token."),
  team: z.string().max(63).optional().describe("Name of the acting Team."),
  object: z.string().max(150).optional().describe("Ids of what was changed."),
  result: z.string().min(1).max(40).describe("`done`, or the error's code."),
});
export type AccountEvent = z.output<typeof accountEventSchema>;

/**
 * The AccountLog kind (cluster-wide): the last changes that an account's tokens and sessions made. It has the name of its Account, which
 * owns it, and ids alone. The API writes it; it stands in no aggregated role.
 */
export const accountLogSpecSchema = z.object({
  events: z.array(accountEventSchema).max(mostAccountEvents).describe("Oldest first. Older ones are dropped."),
});

export type AccountLog = Resource<z.output<typeof accountLogSpecSchema>>;
