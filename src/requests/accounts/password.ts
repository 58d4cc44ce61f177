import { argon2, timingSafeEqual } from "node:crypto";
import { invalidField } from "../errors.ts";
import { createTurns } from "../turns.ts";

/**
 * Passwords as PHC strings of argon2id. A password is taken whole, in NFC (RFC 8265), by its bytes in UTF-8; none is cut.
 * Hashes are made two at a time in this process, for each takes 19 MiB and a processor. For the others each `of`, an address or an account, has
 * a short line of its own, so that none keeps the rest from theirs; beyond it is Problem `busy`.
 */

export const shortest = 10;
export const longest = 1024;
/** OWASP's second choice; what a stored string says holds for that string. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagLength = 32;
const turns = createTurns({ most: 2, waiting: 40, inAll: 400 });

/** Throws Problem `busy` where a hash for this one would be refused a place in line: before anything is read or counted for it. */
export const expectHash = turns.expect;

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

const derive = (of: string, password: string, salt: Buffer, by: Cost, length: number): Promise<Buffer> =>
  turns.run(
    of,
    () =>
      new Promise((resolve, reject) => {
        argon2(
          "argon2id",
          { message: Buffer.from(password.normalize("NFC"), "utf8"), nonce: salt, tagLength: length, ...by },
          (error, tag) => (error ? reject(error) : resolve(tag)),
        );
      }),
  );

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");

/** Throws Problem `invalid`, which names the field, for a password that cannot be one. */
export function checkPassword(password: string, field = "password"): void {
  const size = Buffer.byteLength(password.normalize("NFC"));
  const message =
    size < shortest
      ? `is too short: use at least ${shortest} bytes`
      : size > longest
        ? `is too long: use at most ${longest} bytes`
        : password.isWellFormed()
          ? undefined
          : "is not Unicode text";
  if (message !== undefined) throw invalidField(field, message);
}

/** The PHC string of a password that was checked. `randomBytes` gives the salt. */
export async function hashPassword(
  of: string,
  password: string,
  randomBytes: (count: number) => Uint8Array,
): Promise<string> {
  const salt = Buffer.from(randomBytes(16));
  const tag = await derive(of, password, salt, cost, tagLength);
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(tag)}`;
}

const form = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Whether the password is the stored one. Without a stored one, or with one that cannot be read, it takes as long and is false. */
export async function isPassword(of: string, stored: string | undefined, password: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = form.exec(stored ?? "") ?? [];
  const possible = Buffer.byteLength(password) <= 3 * longest && password.isWellFormed();
  if (salt === undefined || tag === undefined || !possible) {
    await derive(of, possible ? password : "", Buffer.alloc(16), cost, tagLength);
    return false;
  }
  const expected = Buffer.from(tag, "base64");
  const by = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return timingSafeEqual(await derive(of, password, Buffer.from(salt, "base64"), by, expected.length), expected);
}
