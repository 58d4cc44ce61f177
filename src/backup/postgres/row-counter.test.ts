import { describe, expect, test } from "vitest";
import { int, text } from "../../../test/support/engine/postgres/archive-pieces.ts";
import { createRowCounter } from "./row-counter.ts";

const zeros = (count: number) => Array.from({ length: count }, () => int(0));
const oidOf = (id: number) => 16_000 + id;

const entry = (id: number, kind = "TABLE DATA") =>
  Buffer.concat([
    ...[int(id), int(1), text("0"), text(String(oidOf(id))), text(`t${id}`), text(kind), int(3), text(""), text("")],
    ...[text(`COPY "public"."t${id}" ("c") FROM stdin;\n`), text("public"), text(""), text(""), int(0), text("app")],
    ...[text("false"), int(-1), Buffer.alloc(9)],
  ]);
const head = (entries: readonly Buffer[], compression = 0) =>
  Buffer.concat([
    ...[Buffer.from("PGDMP"), Buffer.from([1, 16, 0, 4, 8, 1, compression]), ...zeros(7)],
    ...[text("db"), text("18.6"), text("18.6"), int(entries.length), ...entries],
  ]);
const mark = "\\.\n\n\n";
/** In as many blocks as there are texts. */
const rows = (id: number, ...blocks: (string | Buffer)[]) =>
  Buffer.concat([
    ...[Buffer.from([1]), int(id)],
    ...blocks.map((block) => Buffer.concat([int(Buffer.byteLength(block)), Buffer.from(block)])),
    int(0),
  ]);
const objects = (id: number, ...large: Buffer[]) =>
  Buffer.concat([
    ...[Buffer.from([3]), int(id)],
    ...large.map((bytes, at) =>
      Buffer.concat([int(20_000 + at), ...(bytes.length > 0 ? [int(bytes.length), bytes] : []), int(0)]),
    ),
    int(0),
  ]);

function count(archive: Buffer, next: () => number = () => archive.length, tables = [1, 2, 3]) {
  const seen = { rows: 0, tables: 0 };
  const counter = createRowCounter({
    tables: new Set(tables.map(oidOf)),
    account: {
      rows(more) {
        expect(more).toBeGreaterThan(0);
        seen.rows += more;
      },
      table: () => void seen.tables++,
    },
  });
  // One piece of memory for all, as a reader of a pipe has it.
  const block = Buffer.alloc(archive.length);
  for (let at = 0; at < archive.length; ) {
    const size = archive.copy(block, 0, at, at + next());
    counter.take(block.subarray(0, size));
    at += size;
  }
  const found = Object.fromEntries([...counter.end()].map(([oid, number]) => [`t${oid - oidOf(0)}`, number]));
  return { found, seen };
}

const one = (...blocks: string[]) => Buffer.concat([head([entry(1)]), rows(1, ...blocks)]);

describe("rows of a table", () => {
  test.each<[string, number | undefined, string[]]>([
    ["no row", 0, [mark]],
    ["rows, each in a block", 2, ["1\ta\n", "2\tb\n", mark]],
    ["rows in one block with the end", 3, [`1\n2\n3\n${mark}`]],
    ["rows that blocks cut anywhere", 2, ["1\t", "a", "\n2\tb\n\\", ".\n", "\n\n"]],
    ["rows without a column", 4, ["\n", "\n", "\n", "\n", mark]],
    ["one row without a column, beside the end", 1, [`\n${mark}`]],
    ["values with newlines, and ones like the end", 3, ["a\\nb\n", "\\\\.\n", "\\\\.\\n\\n\\n\n", mark]],
    ["rows of ten bytes, whose length looks like a newline", 2, ["123456789\n", "abcdefghi\n", mark]],
    ["values with zero bytes of no text, and carriage returns", 1, ["\u0000\r\\r\n", mark]],
    ["no end", undefined, ["1\n", "2\n"]],
    ["an end that is a value's", undefined, ["\\\\.\n", "\n", "\n"]],
    ["an end that is not whole", undefined, ["1\n", "\\.\n\n"]],
    ["nothing", undefined, []],
  ])("%s: %s", (_what, number, blocks) => {
    expect(count(one(...blocks)).found).toEqual(number === undefined ? {} : { t1: number });
  });
});

test("rows of others are not counted, and large objects are no rows", () => {
  const archive = Buffer.concat([
    head([entry(1), entry(2), entry(4), entry(3), entry(5, "BLOBS")]),
    ...[rows(1, "a\n", mark), rows(4, "a\n", "b\n", mark), objects(5, Buffer.from("\n\n"), Buffer.alloc(0))],
    ...[rows(2, mark), rows(3, "\\N\n", mark)],
  ]);
  expect(count(archive)).toEqual({ found: { t1: 1, t2: 0, t3: 1 }, seen: { rows: 2, tables: 3 } });
});

test("a table whose rows come twice is not told", () => {
  const archive = Buffer.concat([head([entry(1), entry(2)]), rows(1, "a\n", mark), rows(2, mark), rows(1, mark)]);
  expect(count(archive).found).toEqual({ t2: 0 });
});

test.each([
  ["a block of another kind", Buffer.concat([head([entry(1)]), Buffer.from([2]), int(1)]), "archive_damaged"],
  ["a negative length", Buffer.concat([head([entry(1)]), Buffer.from([1]), int(1), int(-5)]), "archive_damaged"],
  ["an end within rows", one("a\n", mark).subarray(0, -1), "archive_damaged"],
  ["an end within the list", head([entry(1)]).subarray(0, -1), "archive_cut"],
  ["rows that are compressed", Buffer.concat([head([entry(1)], 1), rows(1, mark)]), "unknown_archive"],
])("%s is refused", (_what, archive, code) => {
  expect(() => count(archive)).toThrow(expect.objectContaining({ code }));
});

/** xorshift32 */
const random = (seed: number) => {
  let state = seed;
  return (most: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % most;
  };
};

test("any rows in any blocks and pieces are counted exactly", () => {
  const values = ["", "\\N", "\\\\.", "\\\\", "\\n", "\\t", "123456789", "größe 漢字", "\\\\x0a", "x".repeat(300)];
  for (let seed = 1; seed <= 400; seed++) {
    const next = random(seed * 2_654_435_761);
    const expected: Record<string, number> = {};
    const blocks = [1, 2, 3].map((id) => {
      const number = next(40);
      expected[`t${id}`] = number;
      const lines = Array.from({ length: number }, () =>
        Array.from({ length: next(3) }, () => values[next(values.length)]).join("\t"),
      );
      let left = Buffer.from(lines.map((line) => `${line}\n`).join("") + mark);
      const cut: Buffer[] = [];
      const most = 1 + next(next(2) === 0 ? 8 : 2_000);
      while (left.length > 0) {
        const size = 1 + next(most);
        cut.push(left.subarray(0, size));
        left = left.subarray(size);
      }
      const large = Array.from({ length: next(3) }, () => Buffer.alloc(next(50), "\n"));
      return Buffer.concat([rows(id, ...cut), ...(next(2) === 0 ? [objects(9, ...large)] : [])]);
    });
    const archive = Buffer.concat([head([entry(1), entry(9, "BLOBS"), entry(3), entry(2)]), ...blocks]);
    const most = 1 + next(next(2) === 0 ? 9 : 4_000);
    const { found, seen } = count(archive, () => 1 + next(most));
    expect({ seed, found }).toEqual({ seed, found: expected });
    expect(seen).toEqual({ rows: Object.values(expected).reduce((sum, number) => sum + number, 0), tables: 3 });
  }
});
