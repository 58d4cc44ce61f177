import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/** The account by which the server knows the session, as GRANT takes it: `'app'@'%'`. */
export async function ownAccount(session: Pick<Session, "query">): Promise<string> {
  const [[self] = []] = await session.query("SELECT CURRENT_USER()");
  const account = self ?? "";
  const at = account.lastIndexOf("@");
  return `${literal(account.slice(0, at))}@${literal(account.slice(at + 1))}`;
}
