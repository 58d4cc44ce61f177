import { beforeAll, expect, test } from "vitest";
import { makeSealingKey, openUrl, type PrivateKey, sealUrl } from "./seal.ts";

const place = { namespace: "team-a", name: "m1", field: "source" };
const url = "postgresql://user:päss%2Fword@host/db";
let key: PrivateKey;
let sealed: string;

beforeAll(async () => {
  key = await makeSealingKey("k1");
  sealed = await sealUrl({ id: key.id, key: key.key }, place, url);
});

test("the holder of the private key reads what was sealed", async () => {
  expect(await openUrl([await makeSealingKey("k0"), key], place, sealed)).toBe(url);
});

test("the same URL sealed twice looks different, and neither shows anything of it", async () => {
  const again = await sealUrl(key, place, url);
  expect(again).not.toBe(sealed);
  expect(Buffer.from(sealed.split(".")[3] ?? "", "base64url").toString("latin1")).not.toContain("host");
});

test.each([
  ["another namespace", { ...place, namespace: "team-b" }],
  ["another object", { ...place, name: "m2" }],
  ["another field", { ...place, field: "target" }],
])("it does not open in %s", async (_what, elsewhere) => {
  await expect(openUrl([key], elsewhere, sealed)).rejects.toMatchObject({ code: "seal_refused" });
});

test("a changed text does not open", async () => {
  const parts = sealed.split(".");
  const last = parts[3] ?? "";
  const changed = [...parts.slice(0, 3), (last.startsWith("A") ? "B" : "A") + last.slice(1)].join(".");
  await expect(openUrl([key], place, changed)).rejects.toMatchObject({ code: "seal_refused" });
});

test.each([
  ["a key that the operator does not have", () => sealed.replace("v1.k1.", "v1.k9."), "seal_key_unknown"],
  ["another version", () => sealed.replace("v1.", "v2."), "seal_malformed"],
  ["something else", () => url, "seal_malformed"],
])("%s is refused by a code", async (_what, text, code) => {
  await expect(openUrl([key], place, text())).rejects.toMatchObject({ code });
});
