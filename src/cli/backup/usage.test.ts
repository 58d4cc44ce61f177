import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bare, call } from "../../../test/support/cli/call.ts";
import type { BackupModule } from "./room.ts";

const folder = mkdtempSync(join(tmpdir(), "usage-"));
const file = (name: string) => join(folder, name);
const [source = "", target = ""] = bare;
let real: BackupModule;
let key: { identity: string; recipient: string };
beforeAll(async () => {
  real = await import("../../backup/index.ts");
  key = await real.generateKey();
  writeFileSync(file("key.txt"), `# a comment\n${key.identity}\n`, { mode: 0o600 });
  writeFileSync(file("public.txt"), `${key.recipient}\n`);
  writeFileSync(file("none.txt"), "# nothing\n");
  mkdirSync(file("used"));
  writeFileSync(file("used/letter.txt"), "not a backup");
  mkdirSync(file("cut"));
  mkdirSync(file("empty"));
  writeFileSync(file("cut/1-schema.sql.zst.age"), "a part");
  mkdirSync(file("complete"));
  writeFileSync(file("complete/manifest.json.zst.age"), "a manifest");
  symlinkSync(file("used"), file("link"));
});

/** A call whose backups are the real ones, except that none is taken or restored. */
function called(words: string[], env: Record<string, string> = {}, more: object = {}) {
  const taken: unknown[] = [];
  const backups = async (): Promise<BackupModule> => ({
    ...real,
    takeBackup: async (request) => {
      taken.push(request);
      throw new Error("taken");
    },
    restoreBackup: async (request) => {
      taken.push(request);
      throw new Error("restored");
    },
  });
  return call(words, { env, stuck: { backups }, ...more }).then((answer) => ({ ...answer, taken }));
}

const keys = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s3cret-of-bucket" };

describe("a backup or a restore that cannot be followed ends with 2, and nothing is opened", () => {
  it.each<[string, () => string[], string, Record<string, string>?]>([
    ["one word", () => ["backup", source], "backup takes SOURCE and PLACE, a database's URL, and a folder or a bucket"],
    ["one word of two", () => ["restore", file("new")], "restore takes PLACE and TARGET, a folder or a bucket such as"],
    ["no key to encrypt for", () => ["backup", source, file("new")], "--make-key FILE"],
    [
      "a file of recipients without any",
      () => ["backup", source, file("new"), "--recipients-file", file("none.txt")],
      "has no key",
    ],
    [
      "a key file that is there",
      () => ["backup", source, file("new"), "--make-key", file("key.txt")],
      "use --recipients-file",
    ],
    [
      "a key file inside of the backup",
      () => ["backup", source, file("empty"), "--make-key", file("empty/key.txt")],
      "name a file outside of",
    ],
    [
      "a missing recipients' file",
      () => ["backup", source, file("new"), "--recipients-file", file("x")],
      "the file does not exist",
    ],
    ["no private key", () => ["restore", file("complete"), target], "by --identity FILE"],
    [
      "a public key as identity",
      () => ["restore", file("complete"), target, "--identity", file("public.txt")],
      "has no age private key",
    ],
    ["a file as PLACE", () => ["restore", file("key.txt"), target, "--identity", file("key.txt")], "is a file"],
    [
      "no such parent",
      () => ["backup", source, "/nowhere/at/all", "--recipient", key.recipient],
      "/nowhere/at does not exist: create it, or mount the volume there; PLACE is the folder of one backup, such as",
    ],
    ["the root", () => ["backup", source, "/", "--recipient", key.recipient], "is not a valid name"],
    [
      "a name with a space",
      () => ["backup", source, file("my backup"), "--recipient", key.recipient],
      "is not a valid name",
    ],
    ["a web address", () => ["backup", source, "https://s3.example.com/b/x"], "--endpoint"],
    ["a bucket without a name", () => ["backup", source, "s3://bucket/"], "the name of this backup is missing", keys],
    [
      "a bucket's name that is too short",
      () => ["backup", source, "s3://b/x"],
      '"b" is not the name of a bucket',
      keys,
    ],
    ["one slash", () => ["backup", source, "s3:/bucket/x"], "or s3://bucket/name: after s3: are two slashes", keys],
    ["another storage", () => ["backup", source, "gs://bucket/x"], "s3://bucket/name: gs:// is not supported", keys],
    ["the words in the wrong order", () => ["restore", source, file("cut")], "the database's URL is the other word"],
    ["a bucket's name of dots", () => ["backup", source, "s3://bucket/../x"], "each part of PLACE's name", keys],
    ["a bucket without keys", () => ["backup", source, "s3://bucket/x"], "set AWS_ACCESS_KEY_ID"],
    [
      "an endpoint of a folder",
      () => ["backup", source, file("new"), "--endpoint", "http://x"],
      "--endpoint is for a PLACE in a bucket",
    ],
    [
      "an endpoint with a path",
      () => ["backup", source, "s3://bucket/x", "--endpoint", "http://x/y", "--recipient", key.recipient],
      "has a path",
      keys,
    ],
    ["--yes alone", () => ["restore", file("complete"), target, "--yes"], "it needs --allow-not-empty"],
    [
      "a digest that is none",
      () => ["restore", file("complete"), target, "--manifest-digest", "sha256:1"],
      "64 hexadecimal digits",
    ],
  ])("%s", async (_name, words, said, env) => {
    const { code, stdout, stderr, taken } = await called(words(), env);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(taken).toEqual([]);
    expect(stderr + stdout).not.toMatch(/AGE-SECRET-KEY-1[A-Z0-9]|s3cret-of-bucket/);
  });
});

describe("what is in PLACE is never removed unasked", () => {
  it.each<[string, string, string[], string]>([
    ["a complete backup", "complete", ["--replace-unfinished"], "archive_exists"],
    ["files of somebody", "used", ["--replace-unfinished"], "place_not_empty"],
    ["files of somebody, by a link", "link", ["--replace-unfinished"], "place_not_empty"],
    ["parts of a backup that may be running", "cut", [], "place_not_empty"],
  ])("%s", async (_name, name, flags, code) => {
    const answer = await called(["backup", source, file(name), "--recipient", key.recipient, ...flags]);
    expect(answer.stderr).toContain(`(${code})`);
    expect(answer.code).toBe(1);
    expect(answer.taken).toEqual([]);
  });

  it("parts of an unfinished backup are, when that is asked for", async () => {
    const words = ["backup", source, file("cut"), "--recipient", key.recipient, "--replace-unfinished"];
    expect((await called(words)).taken).toMatchObject([{ folder: "cut", recipients: [key.recipient] }]);
  });
});

describe("keys", () => {
  it("a new one is written for its owner alone, and encrypts the backup", async () => {
    const words = ["backup", source, file("new"), "--make-key", file("made.txt"), "--recipients-file", file("key.txt")];
    const { taken, stderr } = await called(words);
    const text = readFileSync(file("made.txt"), "utf8");
    expect(statSync(file("made.txt")).mode & 0o777).toBe(0o600);
    const [, made = ""] = /^# public key: (age1\S+)$/m.exec(text) ?? [];
    expect(await real.recipientOf(text.trim().split("\n").at(-1) ?? "")).toBe(made);
    expect(taken).toMatchObject([{ recipients: [key.recipient, made] }]);
    expect(stderr).not.toContain("AGE-SECRET-KEY-1");
  });

  it("a key file that others may read is used with a warning", async () => {
    writeFileSync(file("open.txt"), `${key.identity}\n`);
    chmodSync(file("open.txt"), 0o644);
    const { taken, stderr } = await called(["restore", file("complete"), target, "--identity", file("open.txt")]);
    expect(stderr).toContain("chmod 600 it");
    expect(taken).toMatchObject([{ identities: [key.identity], allowNotEmpty: false }]);
  });

  it("a private key in place of a recipient is refused without being shown", async () => {
    const { code, stderr, stdout } = await called([
      "backup",
      source,
      file("new"),
      "--recipient",
      key.identity,
      "--json",
    ]);
    // takeBackup, which refuses it, is not reached in these tests: nothing of it may be shown by then.
    expect(code).toBe(1);
    expect(stderr + stdout).not.toContain(key.identity);
  });
});

it("a bucket's server, region and prefix come from flags, then from the environment", async () => {
  const storages: unknown[] = [];
  const backups = async (): Promise<BackupModule> => ({
    ...real,
    storageOf: (...given) => {
      storages.push(given);
      throw new Error("enough");
    },
  });
  const env = { ...keys, AWS_ENDPOINT_URL: "https://env.example.com", AWS_REGION: "eu-west-1" };
  const words = ["backup", source, "s3://bucket/a/b/monday/"];
  await call(words, { env, stuck: { backups } });
  await call([...words, "--endpoint", "https://flag.example.com", "--region", "x"], { env, stuck: { backups } });
  const credentials = { accessKeyId: "AKID", secretAccessKey: "s3cret-of-bucket" };
  expect(storages).toEqual([
    [
      { bucket: { bucket: "bucket", prefix: "a/b", endpoint: "https://env.example.com", region: "eu-west-1" } },
      credentials,
    ],
    [{ bucket: { bucket: "bucket", prefix: "a/b", endpoint: "https://flag.example.com", region: "x" } }, credentials],
  ]);
});
