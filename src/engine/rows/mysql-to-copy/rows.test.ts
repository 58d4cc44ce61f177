import { describe, expect, test } from "vitest";
import {
  bytesOf,
  collect,
  end,
  packets,
  payload,
  randomly,
  feed as through,
} from "../../../../test/support/engine/rows/packets.ts";
import { fullPacket } from "../../mysql/driver/wire.ts";
import { kind, type MysqlToCopyField, type MysqlToCopyFieldKind } from "./fields.ts";
import { createTextEncoder } from "./rows.ts";

function feed(fields: readonly MysqlToCopyField[], input: Buffer, piece: () => number) {
  const { encoder, sent } = through((out) => createTextEncoder(fields, out), input, piece);
  return { encoder, text: sent.toString("latin1") };
}

/** COPY text by string functions alone. */
function expected(fields: readonly MysqlToCopyField[], row: readonly (Buffer | null)[]): string {
  const letters: Record<string, string> = {
    "\b": "b",
    "\t": "t",
    "\n": "n",
    "\v": "v",
    "\f": "f",
    "\r": "r",
    "\\": "\\",
  };
  const texts = row.map((value, column) => {
    if (value === null) return "\\N";
    const how = fields[column]?.kind;
    if (how === kind.bytea) return `\\\\x${value.toString("hex")}`;
    if (how === kind.geometry) return `\\\\x${value.subarray(4).toString("hex")}`;
    const text = value.toString("latin1");
    return how === kind.raw
      ? text
      : text.replace(/\0/g, "").replace(/[\b\t\n\v\f\r\\]/g, (character) => `\\${letters[character]}`);
  });
  return `${texts.join("\t")}\n`;
}

const field = (how: MysqlToCopyFieldKind): MysqlToCopyField => ({ kind: how, nullable: true });

describe("row packets to COPY text", () => {
  test("random rows come out the same however they are cut, long ones too", () => {
    const seed = Number(process.env.SEED ?? Date.now() % 100_000);
    const random = randomly(seed);
    const upTo = (most: number) => Math.floor(random() * most);
    const sizes = [0, 1, 5, 250, 251, 252, 300, 65_535, 65_536, 140_000, 300_000];
    for (let round = 0; round < 12; round++) {
      const most = [20, 1000, 70_000, 1_000_000][round % 4] as number;
      // Tiny pieces and huge fields together would only test this test's own buffer.
      const largest = most < 1000 ? 7 : sizes.length;
      const fields = Array.from({ length: 1 + upTo(6) }, () =>
        field([kind.raw, kind.text, kind.bytea, kind.geometry][upTo(4)] as MysqlToCopyFieldKind),
      );
      const list = Array.from({ length: 1 + upTo(30) }, () =>
        fields.map(({ kind: how }) => {
          if (random() < 0.1) return null;
          const size = random() < 0.9 ? upTo(40) : (sizes[upTo(largest)] as number);
          return bytesOf(how === kind.geometry ? size + 4 : size, () => (how === kind.raw ? 48 + upTo(10) : upTo(256)));
        }),
      );
      const input = Buffer.concat([...list.map((row) => packets(payload(row))), end]);
      const { encoder, text } = feed(fields, input, () => 1 + upTo(most));
      expect(text === list.map((row) => expected(fields, row)).join(""), `seed ${seed}, round ${round}`).toBe(true);
      expect(encoder.rows).toBe(list.length);
    }
  });

  test.each([fullPacket - 1, fullPacket, fullPacket + 1, 2 * fullPacket])(
    "a payload of %i bytes is read to its end",
    (bytes) => {
      const fields = [field(kind.text), field(kind.raw)];
      const head = bytes - 2 < 0x1000000 + 4 ? 4 : 9;
      const size = bytes - 2 - head;
      const packed = payload([Buffer.alloc(size, "x"), Buffer.from("7")]);
      expect(packed.length).toBe(bytes);
      const input = Buffer.concat([packets(packed), packets(payload([null, Buffer.from("8")])), end]);
      const { encoder, text } = feed(fields, input, () => 1_000_003);
      expect(encoder.rows).toBe(2);
      expect(text.length).toBe(size + 3 + 5);
      expect(text.slice(0, size) === "x".repeat(size)).toBe(true);
      expect(text.slice(size)).toBe("\t7\n\\N\t8\n");
    },
  );

  test.each<[string, MysqlToCopyFieldKind, string, string | undefined]>([
    ["a boolean", kind.boolean, "2", "a number other than 0 and 1"],
    ["an unsigned number", kind.unsigned, "9223372036854775808", "a number above 9223372036854775807"],
    ["the largest bigint, filled with zeros", kind.unsigned, "09223372036854775807", undefined],
    ["a time of a day", kind.time, "23:59:59", undefined],
    ["a time of two days", kind.time, "24:00:00", "a time outside of a day"],
    ["a negative time", kind.time, "-01:00:00", "a time outside of a day"],
    ["a time of a hundred hours", kind.time, "100:00:00", "a time outside of a day"],
    ["an enum's empty value", kind.enumeration, "", "a value outside of the list, which reads as ''"],
    ["json with a key twice", kind.json, '{"a":1,"a":2}', "a key that is there twice"],
  ])("%s is checked on the way, in short and in long rows", (_, how, value, broken) => {
    for (const filler of ["", "x".repeat(300_000)]) {
      const fields = [field(how), field(kind.text)];
      const { encoder } = feed(
        fields,
        Buffer.concat([packets(payload([Buffer.from(value), Buffer.from(filler)])), end]),
        () => 4096,
      );
      expect(encoder.findings[0]?.broken).toBe(broken);
      expect(encoder.broken).toBe(broken !== undefined);
    }
  });

  test.each(["0000-00-00", "2024-00-10", "2024-10-00", "0000-01-01", "2023-02-29", "1900-02-29", "2024-04-31"])(
    "the date %s becomes NULL, or breaks a NOT NULL",
    (date) => {
      for (const filler of ["", "x".repeat(300_000)]) {
        const input = Buffer.concat([packets(payload([Buffer.from(date), Buffer.from(filler)])), end]);
        const nullable = feed([field(kind.date), field(kind.text)], input, () => 5000);
        expect(nullable.text).toBe(`\\N\t${filler}\n`);
        expect(nullable.encoder.findings[0]?.dates).toBe(1);
        const strict = feed([{ kind: kind.date, nullable: false }, field(kind.text)], input, () => 5000);
        expect(strict.encoder.findings[0]?.broken).toBe("a date that does not exist");
      }
    },
  );

  test("a geometry's SRID is counted unless it is 0, however the row is cut", () => {
    const wkb = Buffer.from("0101000000000000000000f03f0000000000000040", "hex");
    const srids = [0, 4326, 0, 3857, 0x01000000, 256];
    const rows = srids.map((srid, at) => {
      const head = Buffer.alloc(4);
      head.writeUInt32LE(srid);
      return [Buffer.concat([head, wkb]), Buffer.alloc(at % 2 === 0 ? 3 : 300_000, "x")];
    });
    const input = Buffer.concat([...rows.map((row) => packets(payload(row))), end]);
    for (const piece of [1, 3, 1_000_000]) {
      const { encoder, text } = feed([field(kind.geometry), field(kind.text)], input, () => piece);
      expect(encoder.findings[0]).toMatchObject({ srids: 4, srid: 4326 });
      expect(text.match(/0101000000000000000000f03f0000000000000040/g)).toHaveLength(6);
    }
  });

  test.each<[string, Buffer]>([
    ["a field longer than its row", Buffer.from([2, 0, 0, 0, 5, 65])],
    ["a row longer than its fields", Buffer.from([4, 0, 0, 0, 1, 65, 1, 65])],
    ["a field of eight length bytes in a short row", Buffer.from([10, 0, 0, 0, 0xfe, 1, 0, 0, 0, 0, 0, 0, 0, 65])],
  ])("%s is refused", (_, bytes) => {
    const encoder = createTextEncoder([field(kind.text)], collect());
    expect(() => encoder.take(bytes, 0, bytes.length)).toThrow(/row/);
  });
});
