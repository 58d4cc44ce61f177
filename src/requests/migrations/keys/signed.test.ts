import { describe, expect, test } from "vitest";
import { migrationWith } from "../../../../test/support/requests/migration-with.ts";
import { packCursor, readCursor } from "../../cursor.ts";
import { signature } from "../../keys.ts";
import { marks } from "../view/marks.ts";
import { actionDigest, wasDone, withAction } from "./action-key.ts";
import { packQuote, type Quote, readQuote } from "./estimate-token.ts";
import { isId, publicId, uuidOf } from "./id.ts";
import { bodyDigest, keyedName } from "./idempotency.ts";

/** Values that are signed or derived from the installation's secret. */

const secret = new Uint8Array(32).fill(7);
const otherSecret = new Uint8Array(32).fill(8);
const now = new Date("2026-01-01T00:00:00Z");

const quote: Quote = {
  account: "a1",
  source: '["mysql","db1"]',
  target: '["postgres","db2"]',
  size: 1000,
  amount: 12,
  currency: "USD",
  type: "conversion",
  free: false,
  expiresAt: new Date("2026-01-02T00:00:00Z"),
};

describe("an estimate", () => {
  const token = packQuote(secret, quote);

  test("is honoured for its account and URLs until it expires", () => {
    const { account: _account, source: _source, target: _target, ...rest } = quote;
    expect(readQuote(secret, token, quote, now)).toEqual({ quote: rest });
    const last = new Date(quote.expiresAt.getTime() - 1);
    expect(readQuote(secret, token, quote, last)).toEqual({ quote: rest });
  });

  test.each([
    ["expired", token, quote, quote.expiresAt],
    ["foreign", token, { ...quote, account: "a2" }, now],
    ["mismatched", token, { ...quote, source: '["mysql","db3"]' }, now],
    ["mismatched", token, { ...quote, source: quote.target, target: quote.source }, now],
    ["altered", packQuote(otherSecret, quote), quote, now],
    ["altered", `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`, quote, now],
    ["altered", token.slice(0, -4), quote, now],
    ["altered", `${token} `, quote, now],
    ["altered", "est_e30.", quote, now],
    ["altered", "", quote, now],
    ["altered", "est_", quote, now],
  ] as const)("that is %s is refused", (refused, text, of, at) => {
    expect(readQuote(secret, text, of, at)).toEqual({ refused });
  });

  test("of a preflight holds for its options where a caller names any", () => {
    const planned = packQuote(secret, { ...quote, options: { jobs: 2, types: { a: "1", b: "2" } } });
    const { options: _options, ...of } = { ...quote, options: {} };
    expect(readQuote(secret, planned, of, now)).toHaveProperty("quote");
    expect(readQuote(secret, planned, { ...of, options: { types: { b: "2", a: "1" }, jobs: 2 } }, now)).toHaveProperty(
      "quote",
    );
    expect(readQuote(secret, planned, { ...of, options: { jobs: 3 } }, now)).toEqual({ refused: "replanned" });
    expect(readQuote(secret, token, { ...of, options: { jobs: 3 } }, now)).toHaveProperty("quote");
  });

  test.each(["", "null", "[]", '{"account":"a1"}'])("signed in a form that is not ours is refused: %j", (text) => {
    const payload = Buffer.from(text || "x").toString("base64url");
    const proof = signature(secret, "estimate", text || "x").toString("base64url");
    expect(readQuote(secret, `est_${payload}.${proof}`, quote, now)).toEqual({ refused: "altered" });
  });

  test("cannot be given another price", () => {
    const [payload = "", proof = ""] = token.slice(4).split(".");
    const cheaper = Buffer.from(payload, "base64url").toString("utf8").replace('"amount":12', '"amount":1');
    const forged = `est_${Buffer.from(cheaper).toString("base64url")}.${proof}`;
    expect(readQuote(secret, forged, quote, now)).toEqual({ refused: "altered" });
  });

  test("has one form: whichever letter of it is another one, it is altered", () => {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const isLast = (at: number) => at === token.length - 1 || token[at + 1] === ".";
    const refused = [];
    // The last letters alone have bits that count for nothing: there each other letter is tried.
    for (let at = 4; at < token.length; at += 1)
      for (const letter of isLast(at) ? letters : [...letters].slice(at % 8, (at % 8) + 2))
        if (letter !== token[at]) {
          const read = readQuote(secret, token.slice(0, at) + letter + token.slice(at + 1), quote, now);
          refused.push("refused" in read ? read.refused : "taken");
        }
    expect(new Set(refused)).toEqual(new Set(["altered"]));
    expect(refused.length).toBeGreaterThan(300);
  });

  test("tells nothing of account and URLs", () => {
    const content = Buffer.from(token.slice(4).split(".")[0] ?? "", "base64url").toString("utf8");
    for (const hidden of ["a1", "db1", "db2", "mysql"]) expect(content).not.toContain(`"${hidden}"`);
  });
});

describe("a cursor", () => {
  const of = ["migrations", "rowferry-t1", ""];
  const place = ["2026-01-01T00:00:00.000Z", "11111111-1111-4111-8111-111111111111"];
  const cursor = packCursor(secret, of, place);

  test("names its place in its own list, and is at most 500 characters", () => {
    expect(readCursor(secret, of, cursor)).toEqual(place);
    expect(cursor.length).toBeLessThan(500);
  });

  test.each([
    ["another team's list", ["migrations", "rowferry-t2", ""], cursor],
    ["another filter", ["migrations", "rowferry-t1", "failed"], cursor],
    ["a changed one", of, `${cursor.slice(0, -2)}AA`],
    ["one of another installation", of, packCursor(otherSecret, of, place)],
    ["a cut one", of, cursor.slice(0, 20)],
    ["one with something behind it", of, `${cursor}=`],
    ["nonsense", of, "%%%"],
    ["nothing", of, ""],
  ])("is refused for %s", (_what, list, text) => {
    expect(readCursor(secret, list, text)).toBeUndefined();
  });
});

describe("a key of idempotency", () => {
  const request = { account: "a1", team: "t1", path: "/api/migrations", key: "k" };

  test("leads to the same UUID on every replica, and to another for each other account, team, path, key and installation", () => {
    const names = [
      keyedName(secret, request),
      keyedName(otherSecret, request),
      ...(["account", "team", "path", "key"] as const).map((field) => keyedName(secret, { ...request, [field]: "x" })),
      // Not two texts that are one when they are put together.
      keyedName(secret, { ...request, account: "a1t", team: "1" }),
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(isId(name)).toBe(true);
      expect(name[14]).toBe("8");
    }
    expect(keyedName(Uint8Array.from(secret), { ...request })).toBe(names[0]);
  });

  test("knows the same body by its meaning, and any other one", () => {
    const body = { source_url: "a", target_url: "b", options: { jobs: 2, include: ["x", "y"] } };
    const digest = bodyDigest(secret, body);
    expect(bodyDigest(secret, { options: { include: ["x", "y"], jobs: 2 }, target_url: "b", source_url: "a" })).toBe(
      digest,
    );
    const others = [
      { ...body, source_url: "c" },
      { ...body, options: { jobs: 2, include: ["y", "x"] } },
      { ...body, estimate_id: "e" },
      { source_url: "b", target_url: "a", options: body.options },
    ];
    for (const other of others) expect(bodyDigest(secret, other)).not.toBe(digest);
  });

  test("of an action is kept on the Migration, with the last fifteen before it", () => {
    const digestOf = (key: string) => actionDigest(secret, { ...request, path: "/api/migrations/x/retry", key });
    let migration = migrationWith();
    for (let count = 0; count < 40; count += 1) {
      const digest = digestOf(`k${count}`);
      expect(wasDone(migration, digest)).toBe(false);
      migration = migrationWith({ metadata: { annotations: { [marks.actions]: withAction(migration, digest) } } });
      expect(wasDone(migration, digest)).toBe(true);
    }
    expect(Array.from({ length: 40 }, (_, at) => wasDone(migration, digestOf(`k${at}`))).lastIndexOf(false)).toBe(23);
    expect(migration.metadata.annotations?.[marks.actions]?.length).toBeLessThan(400);
  });
});

describe("the public id", () => {
  test("is the name that the API gave, else the uid", () => {
    const uuid = uuidOf(new Uint8Array(16).fill(255), 4);
    expect(uuid).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff");
    expect(publicId(migrationWith({ metadata: { name: uuid } }))).toBe(uuid);
    expect(publicId(migrationWith())).toBe("11111111-1111-4111-8111-111111111111");
  });

  test.each([
    "",
    "shop",
    "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF",
    "../secrets",
    "ffffffff-ffff-4fff-bfff-ffffffffffff/status",
  ])("%j is none", (text) => {
    expect(isId(text)).toBe(false);
  });
});
