import * as z from "zod";
import { kinds } from "../../cluster/index.ts";
import type { AccountEvent } from "../../resources/account-log.ts";
import type { Identity, World } from "../world.ts";
import { newestFirstBy, type PageOf, type PageRequest, pageOf } from "./page.ts";

/** The last changes that an account made, as its owner sees them. */

const text = (what: string) => z.string().describe(what);

export const accountEventSchema = z.object({
  id: text("Id of the event."),
  created_at: z.iso.datetime().describe("When the call ended."),
  account: text("Id of the account that called."),
  token_id: text("Id of the token that called; null: a session, or a sign-in.").nullable(),
  session_id: text("Id of the session that called; null: a token, or a sign-in.").nullable(),
  address: text("The IP address of the call.").nullable(),
  verb: text("The operation, such as `createMigration`, or the MCP tool."),
  team: text("Id of the acting team.").nullable(),
  object: text("Id of the changed resource; several ids are separated by `/`.").nullable(),
  result: text("`done`, or the error's code; `cut`: the caller disconnected before the response."),
});
export type ShownEvent = z.output<typeof accountEventSchema>;

const shownEvent = (account: string, event: AccountEvent): ShownEvent => ({
  id: event.id,
  created_at: event.at,
  account,
  token_id: event.token ?? null,
  session_id: event.session ?? null,
  address: event.address ?? null,
  verb: event.verb,
  team: event.team ?? null,
  object: event.object ?? null,
  result: event.result,
});

/** Newest first. Throws Problem `invalid` for a cursor of another list. */
export async function listAccountEvents(
  world: World,
  { account }: Identity,
  page: PageRequest,
): Promise<PageOf<ShownEvent>> {
  const { name, uid } = account.metadata;
  const log = await world.client.get(kinds.accountLogs, "", name);
  // Who had the address before was somebody else.
  const own = log?.metadata.ownerReferences?.some((owner) => owner.uid === uid) ? log.spec.events : [];
  const shown = own.map((event) => shownEvent(name, event));
  const place = ({ created_at, id }: ShownEvent) => newestFirstBy(created_at, id);
  return pageOf(world.secret, ["account events", name], shown, place, page);
}
