import { argon2Sync, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { checkPassword, hashPassword, isPassword } from "./password.ts";

const of = "192.0.2.7";
const long = "x".repeat(1024);

describe("a hash", () => {
  it("is a PHC string of argon2id with its cost", async () => {
    expect(await hashPassword(of, "correct horse", randomBytes)).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
  });
  it("is another one each time", async () => {
    expect(await hashPassword(of, "correct horse", randomBytes)).not.toBe(
      await hashPassword(of, "correct horse", randomBytes),
    );
  });
  it("opens for its password alone", async () => {
    const hash = await hashPassword(of, "correct horse", randomBytes);
    expect(await isPassword(of, hash, "correct horse")).toBe(true);
    expect(await isPassword(of, hash, "correct horsf")).toBe(false);
    expect(await isPassword(of, hash, "correct horse ")).toBe(false);
    expect(await isPassword(of, hash, "")).toBe(false);
  });
  it("counts every byte of the longest password", async () => {
    const hash = await hashPassword(of, long, randomBytes);
    expect(await isPassword(of, hash, long)).toBe(true);
    expect(await isPassword(of, hash, `${long.slice(0, -1)}y`)).toBe(false);
  });
  it("counts what is behind a NUL", async () => {
    const hash = await hashPassword(of, "correct\u0000horse", randomBytes);
    expect(await isPassword(of, hash, "correct\u0000house")).toBe(false);
  });
  it("is the same for composed and decomposed letters, as keyboards differ", async () => {
    expect(await isPassword(of, await hashPassword(of, "caf\u00e9 au lait", randomBytes), "cafe\u0301 au lait")).toBe(
      true,
    );
  });
  it("of another cost opens too", async () => {
    const salt = randomBytes(16);
    const tag = argon2Sync("argon2id", {
      message: "correct horse",
      nonce: salt,
      parallelism: 1,
      tagLength: 24,
      memory: 64,
      passes: 3,
    });
    const text = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
    const stored = `$argon2id$v=19$m=64,t=3,p=1$${text(salt)}$${text(tag)}`;
    expect(await isPassword(of, stored, "correct horse")).toBe(true);
    expect(await isPassword(of, stored, "correct house")).toBe(false);
  });
  it.each([undefined, "", "!", "$argon2id$v=19$m=19456,t=2,p=1$$", "$2b$10$abcdefghijklmnopqrstuv"])(
    "that is none opens for nothing: %s",
    async (stored) => {
      expect(await isPassword(of, stored, "correct horse")).toBe(false);
    },
  );
});

describe("a password", () => {
  it.each(["0123456789", long, "pässwörter", "日本語の鍵", " ".repeat(10)])("is taken: %.20s", (password) => {
    expect(() => checkPassword(password)).not.toThrow();
  });
  it.each([
    ["too short", "012345678"],
    ["too long by its bytes", "é".repeat(513)],
    ["too long", `${long}x`],
    ["half a surrogate pair", "0123456789\ud800"],
  ])("is refused: %s", (_what, password) => {
    expect(() => checkPassword(password, "new_password")).toThrow(/^new_password is /);
  });
});

it("of one address that asks for many hashes those beyond its line are refused as busy, and another's waits for few of them", async () => {
  const ended: string[] = [];
  const ask = (by: string) => isPassword(by, undefined, "correct horse").then(() => void ended.push(by));
  const many = Promise.allSettled(Array.from({ length: 60 }, () => ask(of)));
  await Promise.all(["198.51.100.1", "198.51.100.2"].map(ask));
  expect(ended.filter((by) => by === of).length).toBeLessThan(10);
  const refused = (await many).filter((one) => one.status === "rejected");
  expect(refused.length).toBe(60 - 42);
  for (const one of refused) expect(one.reason).toMatchObject({ code: "busy", status: 503 });
  expect(await isPassword(of, undefined, "correct horse")).toBe(false);
}, 60_000);
