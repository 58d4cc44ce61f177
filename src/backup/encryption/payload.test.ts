import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { Decrypter } from "age-encryption";
import { expect, test } from "vitest";
import { generateKey, openIdentities, openRecipients } from "./age.ts";

const chunk = 64 * 1024;
/** Chunks that are given on at once. */
const many = 16;
const lengths = [0, 1, chunk - 1, chunk, chunk + 1, many * chunk, many * chunk + 1, (2 * many + 1) * chunk].flatMap(
  (length) => [chunk + 1, 100_000, 1 << 20].map((piece) => ({ length, piece })),
);

test.each(lengths)("$length bytes in pieces of $piece are read by age and by us", async ({ length, piece }) => {
  const { identity, recipient } = await generateKey();
  const plain = randomBytes(length);
  // The pieces are freed.
  const pieces = async function* () {
    for (let at = 0; at < length; at += piece) yield Uint8Array.from(plain.subarray(at, at + piece));
  };
  const sealed = await buffer(openRecipients([recipient]).encrypt(pieces()));
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  expect(plain.equals(await decrypter.decrypt(sealed))).toBe(true);
  const stored = async function* () {
    for (let at = 0; at < sealed.length; at += piece) yield Uint8Array.from(sealed.subarray(at, at + piece));
  };
  expect(plain.equals(await buffer(openIdentities([identity]).decrypt("it", stored())))).toBe(true);
});
