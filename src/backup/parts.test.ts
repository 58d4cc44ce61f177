import { createHash, randomBytes } from "node:crypto";
import { setTimeout as later } from "node:timers/promises";
import zlib from "node:zlib";
import { expect, test } from "vitest";
import type { Storage } from "./contract.ts";
import { generateKey, openRecipients } from "./encryption/age.ts";
import { writePart } from "./parts.ts";

/** A storage that fails beside a database that is still read. */

const full = new Error("the bucket is full");

/** Of a request that is refused: the stream has ended long before. */
const answerMs = 100;

/** Takes so many pieces, ends the stream as an upload does, and fails some time later. */
const failing = (pieces: number): Pick<Storage, "put"> => ({
  async put(_name, body) {
    let taken = 0;
    for await (const _piece of body) if (++taken === pieces) break;
    await later(answerMs);
    throw full;
  },
});

async function write(storage: Pick<Storage, "put">, plain: AsyncIterable<Uint8Array>): Promise<unknown> {
  const { recipient } = await generateKey();
  const signal = new AbortController().signal;
  const writing = { storage: storage as Storage, folder: "a", recipients: openRecipients([recipient]), signal };
  return writePart({ ...writing, moved: () => undefined }, { name: "part", holds: "dump" }, plain);
}

test("the storage's error is the cause, not that of the compressor which ends with it", async () => {
  let isEnded = false;
  const plain = async function* () {
    try {
      for (;;) yield randomBytes(20_000);
    } finally {
      isEnded = true;
    }
  };
  await expect(write(failing(3), plain())).rejects.toBe(full);
  expect(isEnded).toBe(true);
});

test("a database that sends nothing more does not keep the storage's error back", async () => {
  const plain = async function* () {
    yield randomBytes(3_000_000);
    await new Promise(() => undefined);
  };
  await expect(write(failing(2), plain())).rejects.toBe(full);
});

test("a piece that the compressor holds, because nobody reads on, does not keep it back either", async () => {
  const plain = async function* () {
    yield randomBytes(30_000_000);
  };
  await expect(write(failing(2), plain())).rejects.toBe(full);
});

test("an error of the database is the cause, where the storage fails by it", async () => {
  const gone = new Error("the database went away");
  const plain = async function* () {
    yield randomBytes(1_000_000);
    throw gone;
  };
  const storage: Pick<Storage, "put"> = {
    async put(_name, body) {
      for await (const _piece of body);
      return 0;
    },
  };
  await expect(write(storage, plain())).rejects.toBe(gone);
});

test("a dump of rows is not larger than zstd makes it by its level 3", async () => {
  const rows = Array.from(
    { length: 100_000 },
    (_, at) =>
      `${at}\t${(at * 7919) % 20_011}\t${createHash("md5").update(String(at)).digest("hex")}\t{"path":"/orders/${(at * 31) % 977}"}\n`,
  ).join("");
  const stored: Pick<Storage, "put"> = {
    async put(_name, body) {
      let size = 0;
      for await (const piece of body) size += piece.length;
      return size;
    },
  };
  const plain = async function* () {
    yield Buffer.from(rows);
  };
  const { size } = (await write(stored, plain())) as { size: number };
  const usual = zlib.zstdCompressSync(rows, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 3 } });
  expect(size).toBeLessThan(usual.length);
});
