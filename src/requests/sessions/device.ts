import type { Account } from "../../resources/account.ts";
import { isSame, signature } from "../keys.ts";
import type { World } from "../world.ts";
import { generationOf, type UserSession } from "./session.ts";

/**
 * A browser in which somebody signed in to an account before: a signed cookie that opens nothing, by which wrong passwords there are counted
 * by themselves. So a stranger's guesses, from however many addresses, do not keep the owner out where the owner usually is. It ends with the
 * account's sessions of its generation: who knew an earlier password has no device by it, of however many sign-ins.
 */
export const deviceCookie = "__Host-rowferry-device";
export const deviceSeconds = 365 * 86_400;

/** What a cookie says; whether the account still has it, `holds` of session.ts tells. */
type Device = Pick<UserSession, "uid" | "generation" | "id">;

const proofOf = (secret: Uint8Array, account: string, { uid, generation, id }: Device): string =>
  signature(secret, "device", account, uid, String(generation), id).toString("base64url");

/** The cookie's value for a new device of an account. */
export function newDevice({ secret, randomBytes }: Pick<World, "secret" | "randomBytes">, account: Account): string {
  const { name, uid = "" } = account.metadata;
  const device = { id: Buffer.from(randomBytes(12)).toString("hex"), generation: generationOf(account), uid };
  const proof = proofOf(secret, name, device);
  return [device.id, device.generation, device.uid, proof].join(".");
}

const form = /^([0-9a-f]{24})\.(\d{1,15})\.([\w-]{1,63})\.([\w-]{43})$/;

/** The device, where the value is one of ours for the account of this name. */
export function deviceOf({ secret }: Pick<World, "secret">, value: string, account: string): Device | undefined {
  const [, id = "", generation = "", uid = "", proof = ""] = form.exec(value) ?? [];
  const device = { id, generation: Number(generation), uid };
  return isSame(proof, proofOf(secret, account, device)) ? device : undefined;
}
