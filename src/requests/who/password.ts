import { argon2, timingSafeEqual } from "node:crypto";
import { Problem } from "../errors.ts";

/**
 * Passwords as PHC strings of argon2id. A password is taken whole, in NFC (RFC 8265), by its bytes in UTF-8; none is cut.
 * Hashes are made two at a time in this process, for each takes 19 MiB and a processor; a short queue waits, the rest is Problem `busy`.
 */

export const shortest = 10;
export const longest = 1024;
/** OWASP's second choice; what a stored string says holds for that string. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagLength = 32;
const atOnce = 2;
const mostWaiting = 40;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= mostWaiting)
      throw new Problem("busy", "Too many people sign in at the moment; try again in a few seconds.", {
        retryAfter: 2,
      });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await run();
  } finally {
    const next = waiting.shift();
    // The place is handed on, so that nobody takes it between.
    if (next) next();
    else running -= 1;
  }
}

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

const derive = (password: string, salt: Buffer, by: Cost, length: number): Promise<Buffer> =>
  inTurn(
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
      ? `is too short: at least ${shortest} bytes`
      : size > longest
        ? `is too long: at most ${longest} bytes`
        : password.isWellFormed()
          ? undefined
          : "is not Unicode text";
  if (message !== undefined) throw new Problem("invalid", `${field}: ${message}`, { errors: [{ field, message }] });
}

/** The PHC string of a password that was checked. `randomBytes` gives the salt. */
export async function hashPassword(password: string, randomBytes: (count: number) => Uint8Array): Promise<string> {
  const salt = Buffer.from(randomBytes(16));
  const tag = await derive(password, salt, cost, tagLength);
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(tag)}`;
}

const form = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Whether the password is the stored one. Without a stored one, or with one that cannot be read, it takes as long and is false. */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = form.exec(stored ?? "") ?? [];
  const possible = Buffer.byteLength(password) <= 3 * longest && password.isWellFormed();
  if (salt === undefined || tag === undefined || !possible) {
    await derive(possible ? password : "", Buffer.alloc(16), cost, tagLength);
    return false;
  }
  const expected = Buffer.from(tag, "base64");
  const by = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, "base64"), by, expected.length), expected);
}
