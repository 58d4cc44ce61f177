import { createHash } from "node:crypto";
import { EngineError } from "../../contract/index.ts";
import { ed25519Response } from "./ed25519.ts";

/**
 * Answers of the client to the server's authentication plugins. A password itself leaves over TLS only, as with the
 * server's own clients; never under an RSA key that the server sends over a plain channel, since whoever stands
 * between sends his own.
 */

const hash = (algorithm: "sha1" | "sha256", ...parts: Buffer[]): Buffer =>
  createHash(algorithm).update(Buffer.concat(parts)).digest();

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, index) => byte ^ (b[index % b.length] ?? 0)));

interface AuthSecret {
  password: string;
  scramble: Buffer;
  /** The channel is encrypted. */
  encrypted: boolean;
}

const refused = new Map(
  Object.entries({
    mysql_clear_password: "it asks for the password in clear text",
    dialog: "it asks for the password in clear text",
    mysql_old_password: "it asks for a hash that is broken since long",
  }),
);

/** The first answer to a plugin. Throws with words for the user when the plugin is refused or not known. */
export function firstResponse(plugin: string, { password, scramble, encrypted }: AuthSecret): Buffer {
  const bytes = Buffer.from(password);
  switch (plugin) {
    case "mysql_native_password": {
      if (password === "") return Buffer.alloc(0);
      const once = hash("sha1", bytes);
      return xor(once, hash("sha1", scramble.subarray(0, 20), hash("sha1", once)));
    }
    case "caching_sha2_password": {
      if (password === "") return Buffer.alloc(0);
      const once = hash("sha256", bytes);
      return xor(once, hash("sha256", hash("sha256", once), scramble.subarray(0, 20)));
    }
    case "sha256_password":
      if (password === "") return Buffer.from([0]);
      return itself(password, encrypted);
    case "client_ed25519":
      return ed25519Response(password, scramble.subarray(0, 32));
    default:
      throw new Error(
        !refused.has(plugin)
          ? `the server wants the authentication plugin "${plugin}", which is not supported: use caching_sha2_password, mysql_native_password or ed25519 for this user`
          : `the server wants the authentication plugin "${plugin}", which is refused since ${refused.get(plugin)}`,
      );
  }
}

function itself(password: string, encrypted: boolean): Buffer {
  if (encrypted) return Buffer.from(`${password}\0`);
  throw new EngineError(
    "tls_required",
    "the server requests the password in clear text, which is sent only over TLS. Turn on TLS at the server and use sslmode=require, or verify-full with its CA",
  );
}

const fastSuccess = 3;
const fullAuthentication = 4;

/** The answer to what a plugin says after the first one (AuthMoreData); undefined: none is due. */
export function nextResponse(plugin: string, data: Buffer, secret: AuthSecret): Buffer | undefined {
  if (plugin === "caching_sha2_password" && data.length === 1) {
    if (data[0] === fastSuccess) return undefined;
    if (data[0] === fullAuthentication) return itself(secret.password, secret.encrypted);
  }
  throw new Error(`the server says something unexpected during the login by "${plugin}"`);
}
