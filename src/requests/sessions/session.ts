import * as z from "zod";
import type { Account } from "../../resources/account.ts";
import { asJson } from "../as-json.ts";
import { isSame, signature } from "../keys.ts";
import type { World } from "../world.ts";

/**
 * A session: a signed cookie that names the account, its generation of sessions and when it ends. Nothing is stored for it until it is
 * signed out; a change of the password ends every session of the generation.
 */
export const sessionCookie = "__Host-rowferry";
export const sessionSeconds = 7 * 86_400;

const payloadSchema = z.strictObject({
  account: z.string(),
  /** The Account's uid: an address that signs up anew has none of the old sessions. */
  uid: z.string(),
  generation: z.int(),
  id: z.string(),
  /** Seconds since 1970. */
  until: z.int(),
});

export interface UserSession {
  account: string;
  uid: string;
  generation: number;
  id: string;
  expiresAt: Date;
}

/** Raised, it ends all that was signed in before. */
export const generationOf = (account: Account): number => account.spec.sessions?.generation ?? 0;

const proofOf = (secret: Uint8Array, text: string): string => signature(secret, "session", text).toString("base64url");

/** The cookie's value for a new session. */
export function openSession(world: Pick<World, "secret" | "now" | "randomBytes">, account: Account): string {
  const payload: z.output<typeof payloadSchema> = {
    account: account.metadata.name,
    uid: account.metadata.uid ?? "",
    generation: generationOf(account),
    id: Buffer.from(world.randomBytes(12)).toString("hex"),
    until: Math.floor(world.now().getTime() / 1000) + sessionSeconds,
  };
  const text = Buffer.from(JSON.stringify(payload)).toString("base64url");
  return `${text}.${proofOf(world.secret, text)}`;
}

/** What a cookie's value says, if it is ours and has not run out; whether it was ended, the account says. */
export function readSession(world: Pick<World, "secret" | "now">, value: string): UserSession | undefined {
  const [text, mac, ...more] = value.split(".");
  if (!text || !mac || more.length > 0 || value.length > 1000) return undefined;
  if (!isSame(mac, proofOf(world.secret, text))) return undefined;
  const payload = payloadSchema.safeParse(asJson(Buffer.from(text, "base64url").toString("utf8")));
  // Signed by us in another form, as another version does.
  if (!payload.success) return undefined;
  const { until, ...session } = payload.data;
  const expiresAt = new Date(until * 1000);
  return expiresAt > world.now() ? { ...session, expiresAt } : undefined;
}

/** Whether the account still has it. */
export const holds = (session: Pick<UserSession, "uid" | "generation" | "id">, account: Account): boolean =>
  account.metadata.uid === session.uid &&
  generationOf(account) === session.generation &&
  !account.spec.sessions?.ended.some((ended) => ended.id === session.id);

/** The value of a cookie of ours in a Cookie header. */
export function cookieOf(header: string | undefined, cookie: string): string | undefined {
  for (const part of header?.split(";") ?? []) {
    const [name, ...value] = part.trim().split("=");
    if (name === cookie) return value.join("=");
  }
  return undefined;
}
