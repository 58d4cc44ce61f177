import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openUrl, sealUrl } from "../../src/guard/seal.ts";
import { externalKeys, readExternalKeys } from "./external-keys.ts";

const random = () => randomBytes(32).toString("base64");
const place = { namespace: "team", name: "one", field: "source" };

test("what is sealed to the public part of a key of the file is opened by the file", async () => {
  const keys = externalKeys(JSON.stringify([{ id: "2026", privateKey: random() }]));
  const sealed = await sealUrl({ id: "2026", key: keys[0]?.key ?? "" }, place, "mysql://u:p@db.example.com/shop");
  expect(await openUrl(keys, place, sealed)).toBe("mysql://u:p@db.example.com/shop");
});

test.each<[string, string, RegExp]>([
  ["no JSON", "{", /the list/],
  ["no key", "[]", /at least one key/],
  ["a key that is too short", JSON.stringify([{ id: "a", privateKey: "c2hvcnQ=" }]), /0\.privateKey: 32 random bytes/],
  ["an id with a dot", JSON.stringify([{ id: "a.b", privateKey: random() }]), /0\.id: 1 to 40 letters/],
  ["two keys of one id", JSON.stringify(["a", "a"].map((id) => ({ id, privateKey: random() }))), /two keys .* id a$/],
  ["another field", JSON.stringify([{ id: "a", privateKey: random(), key: "x" }]), /key/],
])("%s is refused in words that name the file's mistake", (_name, text, words) => {
  expect(() => externalKeys(text)).toThrow(words);
});

test("an error has nothing of a key", () => {
  const secret = random();
  expect(() => externalKeys(JSON.stringify([{ id: "a.b", privateKey: secret, more: secret }]))).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(secret) }),
  );
});

test("a volume without the file is named", async () => {
  await expect(readExternalKeys("/nonexistent/sealing.json")).rejects.toThrow(/sealedUrls\.keysVolume/);
});
