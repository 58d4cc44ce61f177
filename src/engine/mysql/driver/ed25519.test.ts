import { createPublicKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { ed25519Response } from "./ed25519.ts";

test("the answer is a signature that holds against the key that MariaDB stores for the password", () => {
  // ed25519_password('secret'), as MariaDB's documentation gives it.
  const stored = "ZIgUREUg5PVgQ6LskhXmO+eZLS0nC8be6HPjYWR4YJY";
  const x = stored.replaceAll("+", "-").replaceAll("/", "_");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  for (let round = 0; round < 8; round++) {
    const scramble = Buffer.alloc(32, round * 31);
    expect(verify(null, scramble, key, ed25519Response("secret", scramble))).toBe(true);
    expect(verify(null, scramble, key, ed25519Response("Secret", scramble))).toBe(false);
  }
});
