import { beforeAll, expect, test } from "vitest";
import { type EnvelopePurpose, type OpeningKeys, openFields, type SealingKey, sealFields } from "./envelope.ts";
import { makeSealingKey, type PrivateKey, sealUrl } from "./seal.ts";

const now = new Date("2026-01-10T00:00:00Z");
const minutes = (count: number) => new Date(now.getTime() + count * 60_000).toISOString();
const always = new Date(0).toISOString();
const of: EnvelopePurpose = { kind: "Migration", namespace: "team-a", name: "m1", with: { options: { drop: ["a"] } } };
const urls = { source: "postgresql://user:päss%2Fword@host/db", target: "mysql://user:word@other/db" };

let key: PrivateKey;
let to: SealingKey;
let opening: OpeningKeys;
let sealed: Record<keyof typeof urls, string>;
beforeAll(async () => {
  key = await makeSealingKey("k1");
  to = { id: key.id, key: key.key, envelopesFrom: always };
  opening = { keys: [await makeSealingKey("k0"), key], envelopesFrom: always };
  sealed = await sealFields(to, of, urls, now);
});

const opened = (
  given: Partial<Record<string, string | undefined>>,
  more: { of?: EnvelopePurpose; madeAt?: string } = {},
) => openFields(opening, more.of ?? of, more.madeAt ?? minutes(0), given);

test("the holder of the private key reads what was sealed, with one and with several fields", async () => {
  expect(await opened(sealed)).toEqual(urls);
  const one = await sealFields(to, of, { target: urls.target }, now);
  expect(await opened({ source: undefined, ...one })).toEqual({ target: urls.target });
  expect(await opened({ source: undefined })).toEqual({});
});

test("the same sealed twice looks different, and neither shows anything of it", async () => {
  const again = await sealFields(to, of, urls, now);
  expect(again.source).not.toBe(sealed.source);
  expect(Buffer.from(sealed.source.split(".")[4] ?? "", "base64url").toString("latin1")).not.toContain("host");
});

test.each<[string, Partial<EnvelopePurpose>]>([
  ["another kind", { kind: "BackupSchedule" }],
  ["another namespace", { namespace: "team-b" }],
  ["another object", { name: "m2" }],
  ["another option", { with: { options: { drop: ["a", "b"] } } }],
  ["no option", { with: {} }],
])("it does not open in %s", async (_what, other) => {
  await expect(opened(sealed, { of: { ...of, ...other } })).rejects.toMatchObject({ code: "seal_refused" });
});

test("the order of fields that it is sealed with does not count", async () => {
  const given = await sealFields(to, { ...of, with: { a: 1, b: { c: 2, d: [3] } } }, urls, now);
  expect(await opened(given, { of: { ...of, with: { b: { d: [3], c: 2 }, a: 1, e: undefined } } })).toEqual(urls);
});

test("no field opens beside another's, without its counterpart, in another's place, or changed", async () => {
  const other = await sealFields(to, of, { source: "mysql://a/b", target: "mysql://thief/loot" }, now);
  const alone = await sealFields(to, of, { target: "mysql://thief/loot" }, now);
  const flipped = (text: string) => `${text.slice(0, -4)}${text.at(-4) === "A" ? "B" : "A"}${text.slice(-3)}`;
  const [version, id, , ...rest] = sealed.source.split(".");
  const later = [version, id, "zzzzzz", ...rest].join(".");
  for (const given of [
    { source: sealed.source, target: other.target },
    { source: other.source, target: sealed.target },
    { source: sealed.source, target: alone.target },
    { source: sealed.source },
    { target: sealed.target },
    { source: sealed.target, target: sealed.source },
    { source: sealed.source, target: sealed.source },
    { source: flipped(sealed.source), target: sealed.target },
    { source: later, target: sealed.target },
    { source: later, target: later },
  ])
    await expect(opened(given)).rejects.toMatchObject({ code: "seal_refused" });
});

test("it opens in an object that was made with it, and in none that was made later", async () => {
  expect(await opened(sealed, { madeAt: minutes(4) })).toEqual(urls);
  expect(await opened(sealed, { madeAt: minutes(-1000) }), "of a field that was written anew").toEqual(urls);
  await expect(opened(sealed, { madeAt: minutes(6) })).rejects.toThrow(/spec\.source: .* older than its object/);
  expect(await openFields(opening, of, undefined, sealed), "as the operator recorded it").toEqual(urls);
});

test("the first form is sealed until every replica knows envelopes, and opened only in objects of that time", async () => {
  const upgrading = { ...to, envelopesFrom: minutes(15) };
  const first = await sealFields(upgrading, of, urls, now);
  expect(first.source).toMatch(/^v1\./);
  expect((await sealFields({ id: to.id, key: to.key }, of, urls, now)).source, "an earlier operator").toMatch(/^v1\./);
  expect((await sealFields(upgrading, of, urls, new Date(minutes(15)))).source).toMatch(/^v2\./);
  const keys = { ...opening, envelopesFrom: minutes(15) };
  for (const madeAt of [minutes(-1000), minutes(19)]) expect(await openFields(keys, of, madeAt, first)).toEqual(urls);
  expect(await openFields(keys, of, minutes(0), sealed)).toEqual(urls);
  await expect(openFields(keys, of, minutes(21), first)).rejects.toThrow(/form of an earlier version/);
  await expect(openFields(keys, of, minutes(0), { ...first, target: sealed.target })).rejects.toMatchObject({
    code: "seal_malformed",
  });
  const elsewhere = { source: await sealUrl(to, { ...of, name: "m2", field: "source" }, urls.source) };
  await expect(openFields(keys, of, minutes(0), elsewhere)).rejects.toMatchObject({ code: "seal_refused" });
});

test.each([
  ["a key that the operator does not have", () => sealed.source.replace("v2.k1.", "v2.k9."), "seal_key_unknown"],
  ["another version", () => sealed.source.replace("v2.", "v3."), "seal_malformed"],
  ["a time that is none", () => sealed.source.replace(/^v2\.k1\.[^.]+/, "v2.k1.-1"), "seal_malformed"],
  ["something else", () => urls.source, "seal_malformed"],
  ["the word of one that was taken out", () => "expired", "seal_malformed"],
])("%s is refused by a code, and nothing of it is in the words", async (_what, text, code) => {
  const failure = await opened({ source: text() }).catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({ code, message: expect.stringMatching(/^spec\.source: /) });
  expect(String(failure)).not.toContain("päss");
});
