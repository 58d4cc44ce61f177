import { describe, expect, test } from "vitest";
import { int, text } from "../../../../test/support/engine/postgres/archive-pieces.ts";
import { createArchiveReader, type DumpEntry, readContents } from "./archive.ts";

const none = int(-1);

const entry = (id: number, create: string, needs: number[] = []) =>
  Buffer.concat([
    ...[int(id), int(0), text("1259"), text(String(16_000 + id)), text(`täble ${id}`), text("TABLE"), int(2)],
    ...[text(create), text(`DROP TABLE t${id};`), text(""), text("public"), text(""), text("heap"), int(114)],
    ...[text("app"), text("false"), ...needs.map((need) => text(String(need))), none, Buffer.alloc(9)],
  ]);
const archive = (entries: readonly Buffer[]) =>
  Buffer.concat([
    ...[Buffer.from("PGDMP"), Buffer.from([1, 16, 0, 4, 8, 1, 0])],
    ...Array.from({ length: 7 }, () => int(0)),
    ...[text("db"), text("18.6"), text("18.6"), int(entries.length), ...entries],
  ]);
const read = (bytes: Buffer, step: number) => {
  const entries: DumpEntry[] = [];
  const reader = createArchiveReader((one) => entries.push(one));
  for (let at = 0; at < bytes.length; at += step) reader.take(bytes.subarray(at, at + step));
  reader.end();
  return entries;
};

const some = archive([entry(1, "CREATE TABLE t1 (ä int);"), entry(2, "x".repeat(5_000), [1]), entry(3, "", [1, 2])]);

test("an archive's entries are read", () => {
  expect(readContents(some).entries[2]).toEqual({
    ...{ id: 3, catalog: 1259, oid: 16_003, kind: "TABLE", tag: "täble 3", section: "pre-data", create: "" },
    ...{ drop: "DROP TABLE t3;", schema: "public", tablespace: "", accessMethod: "heap", owner: "app", needs: [1, 2] },
  });
});

describe("an archive that comes in pieces", () => {
  test.each([1, 7, 64, 4_096, 1 << 20])("of %i bytes has the entries that it has as a whole", (step) => {
    expect(read(some, step)).toEqual(readContents(some).entries);
  });

  test("is refused where it ends too early, wherever that is", () => {
    for (let length = 0; length < some.length; length += 97)
      expect(() => read(some.subarray(0, length), 1_000)).toThrow("it ends too early");
  });

  test("is refused at its first piece where it is none", () => {
    const reader = createArchiveReader(() => undefined);
    expect(() => reader.take(Buffer.from("PGDUMPED it is not"))).toThrow("it does not begin as one");
  });

  test("looks at a large entry a few times, not once for each piece", () => {
    const large = archive([entry(1, "x".repeat(4 << 20))]);
    let copied = 0;
    const { concat } = Buffer;
    Buffer.concat = (list, ...more) => {
      const made = concat(list, ...more);
      copied += made.length;
      return made;
    };
    try {
      expect(read(large, 1_024)[0]?.create).toHaveLength(4 << 20);
    } finally {
      Buffer.concat = concat;
    }
    expect(copied).toBeLessThan(4 * large.length);
  });
});
