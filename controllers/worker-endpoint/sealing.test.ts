import { expect, test } from "vitest";
import { makeSealingKey, openUrl, sealUrl } from "../../src/guard/seal.ts";
import { type KeptKey, namedKeys, sealingAfter } from "./sealing.ts";

const now = new Date("2026-01-10T00:00:00Z");
const day = 86_400_000;
let count = 0;
const after = (
  keys: readonly KeptKey[],
  more: { rotate?: boolean; lasts?: number; named?: string[]; at?: Date } = {},
) =>
  sealingAfter(keys, {
    rotate: more.rotate ?? false,
    lasts: more.lasts,
    named: more.named === undefined ? undefined : new Set(more.named),
    now: more.at ?? now,
    id: () => `k${count++}`,
  });
const key = async (id: string, retiredAt?: string): Promise<KeptKey> => ({
  ...(await makeSealingKey(id)),
  ...(retiredAt === undefined ? {} : { retiredAt }),
});
const ids = (keys: readonly KeptKey[] | undefined) => keys?.map(({ id }) => id);
const old = new Date(now.getTime() - 2 * day).toISOString();
const lately = new Date(now.getTime() - day / 2).toISOString();

test("the first key is made, and nothing is changed that is as it should be", async () => {
  const keys = await after([]);
  expect(keys).toHaveLength(1);
  expect(await after(keys ?? [])).toBeUndefined();
  expect(await after(keys ?? [], { named: [] }), "the first is kept though nothing names it").toBeUndefined();
});

test("rotation puts a new key before the others, and what was sealed to the old one is still opened", async () => {
  const first = await key("a");
  const place = { namespace: "n", name: "m", field: "source" };
  const sealed = await sealUrl(first, place, "mysql://a:b@c/d");
  const keys = (await after([first], { rotate: true, named: [] })) ?? [];
  expect(keys).toHaveLength(2);
  expect(keys[0]?.id).not.toBe("a");
  expect(keys[1]).toMatchObject({ id: "a", retiredAt: now.toISOString() });
  expect(await openUrl(keys, place, sealed)).toBe("mysql://a:b@c/d");
});

test("an old key goes when nothing names it any more, at the earliest a day after it was replaced", async () => {
  const keys = [await key("first"), await key("lately", lately), await key("named", old), await key("old", old)];
  expect(ids(await after(keys, { named: ["named"] }))).toEqual(["first", "lately", "named"]);
  expect(await after(keys), "before all Migrations were read").toBeUndefined();
  expect(ids(await after(keys, { named: [], at: new Date(now.getTime() + day) }))).toEqual(["first"]);
});

test("the first key is replaced by schedule, as is one of unknown age, and the old one is kept as on request", async () => {
  const [first] = (await after([])) ?? [];
  const keys = first === undefined ? [] : [first];
  expect(first).toMatchObject({ madeAt: now.toISOString() });
  const at = (days: number) => ({ lasts: 90 * day, named: [], at: new Date(now.getTime() + days * day) });
  expect(await after(keys, at(89.9))).toBeUndefined();
  const rotated = (await after(keys, at(90))) ?? [];
  expect(rotated).toMatchObject([
    { madeAt: at(90).at.toISOString() },
    { ...first, retiredAt: at(90).at.toISOString() },
  ]);
  expect(await after(rotated, at(90.5)), "not again").toBeUndefined();
  expect(await after(rotated, { ...at(170), named: [first?.id ?? ""] }), "while something names it").toBeUndefined();
  expect(ids(await after(rotated, at(170)))).toEqual([rotated[0]?.id]);
  expect(await after(await Promise.all([key("a")]), at(0))).toHaveLength(2);
  expect(await after(await Promise.all([key("a")]), { named: [] }), "without a schedule").toBeUndefined();
});

test("the keys that URLs name are told by their ids, and other texts name none", () => {
  expect(namedKeys(["v1.a.x.y", "v1.b.x.y", "v1.a.z.z", "expired", "", "v2.c.1.x.y", "v3.d.x.y"])).toEqual(
    new Set(["a", "b", "c"]),
  );
});
