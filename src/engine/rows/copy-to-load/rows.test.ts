import { describe, expect, test } from "vitest";
import { blockStart } from "../../mysql/target/loader.ts";
import { blockBytes } from "../../run/memory/block-pool.ts";
import { type CopyToLoadField, kind } from "./fields.ts";
import { createCopyToLoadEncoder } from "./rows.ts";

/** COPY's text in CopyData messages, one a row. */
const messages = (rows: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(
    rows.map((row) => {
      const body = Buffer.concat([Buffer.from(row), Buffer.from("\n")]);
      const head = Buffer.alloc(5);
      head[0] = 0x64;
      head.writeInt32BE(body.length + 4, 1);
      return Buffer.concat([head, body]);
    }),
  );

/** `step`: bytes that come at once. */
function encode(
  fields: readonly CopyToLoadField[],
  rows: readonly (string | Buffer)[],
  step = Number.POSITIVE_INFINITY,
) {
  const sent: Buffer[] = [];
  const fresh = () => Buffer.alloc(blockBytes);
  const encoder = createCopyToLoadEncoder(fields, {
    first: fresh,
    flush(block, end) {
      sent.push(Buffer.from(block.subarray(blockStart, end)));
      return fresh();
    },
    spare: () => undefined,
  });
  const all = messages(rows);
  let start = 0;
  for (let end = Math.min(step, all.length); ; end = Math.min(end + step, all.length)) {
    start = encoder.take(all, start, end);
    if (end === all.length) break;
  }
  encoder.finish();
  return { text: Buffer.concat(sent), rows: encoder.rows, findings: encoder.findings, broken: encoder.broken };
}

const field = (how: CopyToLoadField["kind"], more: Partial<CopyToLoadField> = {}): CopyToLoadField => ({
  kind: how,
  nullable: true,
  ...more,
});

/** As LOAD DATA takes bytes. */
const escaped = (hex: string): Buffer => {
  const letters: Record<number, string> = { 0: "0", 9: "t", 10: "n", 92: "\\" };
  return Buffer.concat(
    [...Buffer.from(hex, "hex")].map((byte) =>
      letters[byte] === undefined ? Buffer.of(byte) : Buffer.from(`\\${letters[byte]}`),
    ),
  );
};
const zeros = "00".repeat(16);
const ones = "000000000000f03f".repeat(2);
const triangle = `01030000000100000004000000${zeros}${ones}${ones.slice(0, 16)}${zeros.slice(0, 16)}${zeros}`;

const values: [name: string, CopyToLoadField, from: string, to: string | Buffer, found?: object][] = [
  ["an integer", field(kind.raw), "-7", "-7"],
  ["NULL", field(kind.raw), "\\N", "\\N"],
  ["text that is only like NULL", field(kind.text), "\\\\N", "\\\\N"],
  ["escapes that both know", field(kind.text), "a\\tb\\nc\\rd\\\\e\\bf", "a\\tb\\nc\\rd\\\\e\\bf"],
  ["\\v and \\f, which LOAD DATA does not know", field(kind.text), "\\v\\f\\\\v\\\\f", "\v\f\\\\v\\\\f"],
  ["text beyond ASCII", field(kind.text), "é漢😀", "é漢😀"],
  ["an end mark in the text", field(kind.text), "\\\\.", "\\\\."],
  ["true", field(kind.boolean), "t", "1"],
  ["false", field(kind.boolean), "f", "0"],
  ["no boolean", field(kind.boolean), "\\N", "\\N"],
  ["a date", field(kind.date), "2024-02-29", "2024-02-29"],
  ["a moment in UTC", field(kind.date), "2024-02-29 01:02:03.4+00", "2024-02-29 01:02:03.4"],
  ["infinity", field(kind.date), "infinity", "\\N", { lost: 1, broken: undefined }],
  ["-infinity", field(kind.date), "-infinity", "\\N", { lost: 1 }],
  ["a date before Christ", field(kind.date), "0044-03-15 BC", "\\N", { lost: 1 }],
  ["a year of five digits", field(kind.date), "10000-01-01", "\\N", { lost: 1 }],
  ["infinity where no NULL may be", field(kind.date, { nullable: false }), "infinity", "\\N", { broken: "null" }],
  ["a float", field(kind.float), "1.7976931348623157e+308", "1.7976931348623157e+308"],
  ["NaN", field(kind.float), "NaN", "\\N", { lost: 1 }],
  ["-Infinity", field(kind.float), "-Infinity", "\\N", { lost: 1 }],
  ["-0, which the target keeps", field(kind.float), "-0", "-0", { zeros: 0 }],
  ["-0, which it does not", field(kind.float, { unsignedZero: true }), "-0", "-0", { zeros: 1, lost: 0 }],
  ["-0.5", field(kind.float, { unsignedZero: true }), "-0.5", "-0.5", { zeros: 0 }],
  [
    "a number with all its digits",
    field(kind.numeric, { limit: 3, scale: 2 }),
    "-999.99",
    "-999.99",
    { broken: undefined },
  ],
  ["a number too long", field(kind.numeric, { limit: 3, scale: 2 }), "1000.0", "1000.0", { broken: "long" }],
  ["a fraction too long", field(kind.numeric, { limit: 3, scale: 2 }), "0.001", "0.001", { broken: "long" }],
  [
    "a fraction without digits before the point",
    field(kind.numeric, { limit: 0, scale: 5 }),
    "0.00999",
    "0.00999",
    { broken: undefined },
  ],
  [
    "text within its limit, escapes counted as one",
    field(kind.limited, { limit: 3 }),
    "é\\t😀",
    "é\\t😀",
    { broken: undefined },
  ],
  ["text over its limit", field(kind.limited, { limit: 3 }), "abcd", "abcd", { broken: "long" }],
  [
    "bytes",
    field(kind.bytes),
    "\\\\x00090a5cff41",
    Buffer.from([0x5c, 0x30, 0x5c, 0x74, 0x5c, 0x6e, 0x5c, 0x5c, 0xff, 0x41]),
  ],
  ["no bytes", field(kind.bytes), "\\\\x", ""],
  ["NULL in place of bytes", field(kind.bytes), "\\N", "\\N"],
  ["bytes over their limit", field(kind.bytes, { limit: 1 }), "\\\\x4142", "AB", { broken: "long" }],
  [
    "a point in big-endian, with bytes that are escaped",
    field(kind.shape),
    "\\\\x000010e60000000001400a090a5c0000013ff0000000000000",
    escaped("e610000001010000000100005c0a090a40000000000000f03f"),
  ],
  [
    "a polygon in little-endian, of an SRID that the target knows",
    field(kind.shape, { srids: new Map([[3857, false]]) }),
    `\\\\x00000f11${triangle}`,
    escaped(`110f0000${triangle}`),
  ],
  ["no geometry", field(kind.shape), "\\N", "\\N"],
  ["bits", field(kind.bits), "1000000001", Buffer.from([0x02, 0x01])],
  ["bits that are an escape's byte", field(kind.bits), "01011100", Buffer.from([0x5c, 0x5c])],
  ["a zero bit", field(kind.bits), "0", Buffer.from([0x5c, 0x30])],
];

describe("COPY's text as LOAD DATA's", () => {
  test.each(values)("%s", (_, one, from, to, found = {}) => {
    const got = encode([one], [from]);
    expect(got.text).toEqual(Buffer.concat([Buffer.from(to), Buffer.from("\n")]));
    expect(got.findings[0]).toMatchObject(found);
  });

  test("the same comes of it whatever pieces it comes in, and beside long fields as well", () => {
    const fields = values.map(([, one]) => ({ ...one, nullable: true, limit: 1 << 20, scale: 1 << 20 }));
    const row = values.map(([, , from]) => from).join("\t");
    const whole = encode(fields, [row, row, row]);
    expect(whole.rows).toBe(3);
    for (const step of [1, 7, 1000]) expect(encode(fields, [row, row, row], step).text).toEqual(whole.text);
    const long = "é\\\\".repeat(blockBytes / 2);
    const beside = encode([...fields, field(kind.text)], [`${row}\t${long}`], 65_536);
    const end = whole.text.length / 3 - 1;
    expect(beside.text.subarray(0, end)).toEqual(whole.text.subarray(0, end));
    expect(beside.text.subarray(end)).toEqual(Buffer.from(`\t${long}\n`));
  });

  test("bytes longer than several blocks arrive whole", () => {
    const bytes = Buffer.alloc(3 * blockBytes, "0123456789\\\n\t\0");
    const got = encode([field(kind.bytes), field(kind.raw)], [`\\\\x${bytes.toString("hex")}\t5`], 100_000);
    const plain = got.text
      .toString("latin1")
      .replaceAll(/\\(.)/g, (_, one: string) => ({ "0": "\0", t: "\t", n: "\n" })[one] ?? one);
    expect(plain).toBe(`${bytes.toString("latin1")}\t5\n`);
  });

  const globe = new Map([[4326, true]]);
  test.each<[string, string, Partial<CopyToLoadField>]>([
    ["an SRID that the target does not know", `00000f11${triangle}`, { srids: globe }],
    ["a longitude below -180", "000010e60000000001c066a000000000000000000000000000", { srids: globe }],
    ["a latitude above 90", "000010e6000000000100000000000000004057000000000000", { srids: globe }],
    ["an infinite coordinate", "0000000000000000017ff00000000000000000000000000000", {}],
    ["a ring of two points", `0000000001030000000100000003000000${zeros}${ones}${zeros}`, {}],
    ["an empty polygon", "00000000010300000000000000", {}],
    ["a height", "0000000001e9030000", {}],
  ])("%s breaks the guess, in a short row and in a long one", (_, hex, more) => {
    const one = field(kind.shape, more);
    expect(encode([one], [`\\\\x${hex}`]).findings[0]?.broken).toBe("long");
    const long = "x".repeat(blockBytes * 2);
    expect(encode([field(kind.text), one], [`${long}\t\\\\x${hex}`]).findings[1]?.broken).toBe("long");
  });

  test("a broken guess throws away what follows, and says it", () => {
    const got = encode([field(kind.limited, { limit: 1 })], ["ab", "c"]);
    expect(got.broken).toBe(true);
  });

  test.each([
    ["too few columns", "1"],
    ["too many", "1\t2\t3"],
  ])("a row of %s is refused", (_, row) => {
    expect(() => encode([field(kind.raw), field(kind.raw)], [row])).toThrow(
      expect.objectContaining({ code: "protocol_error" }),
    );
  });
});
