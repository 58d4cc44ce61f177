import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { checkBytes, checkedBytes } from "./checked-bytes.ts";
import type { ArchivePart } from "./manifest-schema.ts";

const stretch = 4 << 20;

const partOf = (bytes: Buffer): ArchivePart => ({
  ...{ name: "part", size: bytes.length, plain: 0, holds: "dump" },
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

/** As a storage gives them: no piece ends where a stretch does, and each can be freed. */
async function* pieces(bytes: Buffer, most: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += most) {
    const from = bytes.subarray(at, at + most);
    const piece = Buffer.allocUnsafeSlow(from.length);
    from.copy(piece);
    yield piece;
  }
}

async function readAgain(part: ArchivePart, marks: Buffer, bytes: Buffer, most: number) {
  const passed: Buffer[] = [];
  let error: unknown;
  try {
    for await (const piece of checkedBytes(part, marks, pieces(bytes, most))) passed.push(Buffer.from(piece));
  } catch (caught) {
    error = caught;
  }
  return { passed: Buffer.concat(passed), error };
}

const mark = (part: ArchivePart, bytes: Buffer) => checkBytes(part, pieces(bytes, 100_000), () => undefined);

test.each([0, 1, stretch - 1, stretch, stretch + 1, 2 * stretch, 2 * stretch + 12_345])(
  "a part of %d bytes is passed on as it was checked, whatever its pieces",
  async (size) => {
    const bytes = randomBytes(size);
    const part = partOf(bytes);
    const marks = await mark(part, bytes);
    for (const most of [70_001, 3 * stretch]) {
      const { passed, error } = await readAgain(part, marks, bytes, most);
      expect(error).toBeUndefined();
      expect(passed.equals(bytes)).toBe(true);
    }
  },
);

test.each([
  [0, 0],
  [stretch - 1, 0],
  [stretch, 1],
  [2 * stretch - 1, 1],
  [2 * stretch, 2],
  [2 * stretch + 4_999, 2],
])("changed at byte %d, it is passed on up to the %d. stretch", async (at, whole) => {
  const bytes = randomBytes(2 * stretch + 5_000);
  const part = partOf(bytes);
  const marks = await mark(part, bytes);
  const other = Buffer.from(bytes);
  other[at] = (other[at] as number) ^ 1;
  const { passed, error } = await readAgain(part, marks, other, 70_001);
  expect(error).toMatchObject({ code: "archive_part_changed" });
  expect(passed.equals(bytes.subarray(0, whole * stretch))).toBe(true);
});

test("cut or longer, none of its last stretch is passed on", async () => {
  const bytes = randomBytes(stretch + 5_000);
  const part = partOf(bytes);
  const marks = await mark(part, bytes);
  for (const other of [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.of(0)]), bytes.subarray(0, stretch)]) {
    const { passed, error } = await readAgain(part, marks, other, 1_000);
    expect(error).toMatchObject({ code: "archive_part_changed" });
    expect(passed.length).toBe(stretch);
  }
});

test("the storage's own error is reported after what came before it", async () => {
  const bytes = randomBytes(2 * stretch);
  const part = partOf(bytes);
  const marks = await mark(part, bytes);
  const gone = new Error("the storage went away");
  const broken = async function* () {
    yield* pieces(bytes.subarray(0, stretch + 1), 70_001);
    throw gone;
  };
  let passed = 0;
  const read = async () => {
    for await (const piece of checkedBytes(part, marks, broken())) passed += piece.length;
  };
  await expect(read()).rejects.toBe(gone);
  expect(passed).toBe(stretch);
});

test("a reader that stops ends the storage's stream", async () => {
  const bytes = randomBytes(3 * stretch);
  const part = partOf(bytes);
  const marks = await mark(part, bytes);
  const ended = Promise.withResolvers<void>();
  const watched = async function* () {
    try {
      yield* pieces(bytes, 70_001);
    } finally {
      ended.resolve();
    }
  };
  for await (const _piece of checkedBytes(part, marks, watched())) break;
  await expect(ended.promise).resolves.toBeUndefined();
});
