import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/** The account by which the server knows the session, as GRANT takes it: `'app'@'%'`. */
export async function ownAccount(session: Pick<Session, "query">): Promise<string> {
  const [[self] = []] = await session.query("SELECT CURRENT_USER()");
  return quotedAccount(self ?? "");
}

/** `account`: as CURRENT_USER() gives it, without quotes. */
export function quotedAccount(account: string): string {
  const at = account.lastIndexOf("@");
  return `${literal(account.slice(0, at))}@${literal(account.slice(at + 1))}`;
}
