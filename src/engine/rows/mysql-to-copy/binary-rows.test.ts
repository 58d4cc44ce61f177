import { describe, expect, test } from "vitest";
import {
  type Below,
  dateOf,
  longModels,
  type Model,
  models,
  number,
  oneOf,
  timeOf,
  type Value,
} from "../../../../test/support/engine/rows/models.ts";
import {
  binaryPayload,
  collect,
  end,
  feed,
  packets,
  payload,
  randomly,
  readBinary,
  readText,
} from "../../../../test/support/engine/rows/packets.ts";
import { ProtocolError } from "../../mysql/driver/errors.ts";
import { fullPacket } from "../../mysql/driver/wire.ts";
import type { BinaryField } from "./binary-fields.ts";
import { createBinaryEncoder } from "./binary-rows.ts";
import { kind, type MysqlToCopyField } from "./fields.ts";
import { createTextEncoder } from "./rows.ts";

const names = Object.keys(models);
const fieldOf = ({ field, op: how }: Model, more: Partial<MysqlToCopyField> = {}): BinaryField => ({
  nullable: true,
  ...field,
  ...more,
  op: how,
});

function both(fields: readonly BinaryField[], rows: readonly (Value | null)[][], piece: () => number) {
  const feedWith = (pack: (row: (Value | null)[]) => Buffer) =>
    Buffer.concat([...rows.map((row) => packets(pack(row))), end]);
  const text = feed(
    (out) => createTextEncoder(fields, out),
    feedWith((row) => payload(row.map((value) => value?.text ?? null))),
    piece,
  );
  const binary = feed(
    (out) => createBinaryEncoder(fields, out),
    feedWith((row) =>
      binaryPayload(
        fields,
        row.map((value) => value?.wire ?? null),
      ),
    ),
    piece,
  );
  return { text, binary };
}

describe("row packets of the binary protocol to COPY's binary format", () => {
  test("thousands of random rows of every type say what the text protocol and COPY text say, however they are cut", () => {
    const seed = Number(process.env.SEED ?? Date.now() % 100_000);
    const random = randomly(seed);
    const below: Below = (most) => Math.floor(random() * most);
    for (let round = 0; round < 60; round++) {
      const used = Array.from({ length: 1 + below(24) }, () => models[names[below(names.length)] as string] as Model);
      const isLong = round % 10 === 9;
      if (isLong) used.splice(below(used.length), 0, longModels[below(longModels.length)] as Model);
      const zero = round % 3 === 0 ? { zero: { text: Buffer.from("1970-01-01") } } : {};
      const fields = used.map((model) => fieldOf(model, model.field.kind === kind.date ? zero : {}));
      const rows = Array.from({ length: isLong ? 3 : 1 + below(120) }, () =>
        used.map((model): Value | null => (below(9) === 0 ? null : model.value(below))),
      );
      const most = isLong ? 40_000 : ([9, 700, 5000, 300_000][round % 4] as number);
      const { text, binary } = both(fields, rows, () => 1 + below(most));
      const where = `seed ${seed}, round ${round}`;
      expect(text.encoder.broken, where).toBe(false);
      expect(binary.encoder.findings, where).toEqual(text.encoder.findings);
      expect(binary.encoder.rows).toBe(rows.length);
      const said = readText(text.sent).map((row) =>
        row.map((field, column) => (field === undefined ? field : (used[column]?.same?.(field) ?? field))),
      );
      const read = readBinary(binary.sent).map((row) =>
        row.map((field, column) => (field === undefined ? field : used[column]?.read(field))),
      );
      expect(read, where).toEqual(said);
    }
  });

  test.each([fullPacket - 1, fullPacket, fullPacket + 1, 2 * fullPacket])(
    "a payload of %i bytes is read to its end, its last field too",
    (bytes) => {
      const fields = [models["text"], models["bytes"], models["int"]].map((model) => fieldOf(model as Model));
      // The head of a row, two lengths of four bytes, an integer.
      const size = bytes - 2 - 4 - 4 - 4 - 1000 - (bytes > 0x1000000 + 2000 ? 5 : 0);
      const row = [Buffer.alloc(size, "x"), Buffer.alloc(1000, 0), Buffer.from([7, 0, 0, 0])];
      const packed = binaryPayload(fields, row);
      expect(packed.length).toBe(bytes - 1);
      const after = binaryPayload(fields, [null, null, Buffer.from([8, 0, 0, 0])]);
      const input = Buffer.concat([packets(packed), packets(after), end]);
      const { encoder, sent } = feed(
        (out) => createBinaryEncoder(fields, out),
        input,
        () => 1_000_003,
      );
      expect(encoder.rows).toBe(2);
      const [first, second] = readBinary(sent);
      expect(first?.map((field) => field?.length)).toEqual([size, 1000, 4]);
      expect(first?.[0]?.equals(row[0] as Buffer)).toBe(true);
      expect(first?.[2]?.readInt32BE()).toBe(7);
      expect(second?.map((field) => field?.readInt32BE())).toEqual([undefined, undefined, 8]);
    },
  );

  test("a NUL byte in a text whose length is sent already makes it give up, and in a short one it is left out", () => {
    const fields = [models["text"], models["int"]].map((model) => fieldOf(model as Model));
    for (const [size, gaveUp] of [
      [1000, false],
      [500_000, true],
    ] as const) {
      const text = Buffer.alloc(size, "x");
      text[size - 1] = 0;
      const row = binaryPayload(fields, [text, Buffer.from([7, 0, 0, 0])]);
      const input = Buffer.concat([packets(row), packets(row), end]);
      const { encoder, sent } = feed(
        (out) => createBinaryEncoder(fields, out),
        input,
        () => 70_000,
      );
      expect(encoder.gaveUp).toBe(gaveUp);
      expect(encoder.discarded).toBe(gaveUp);
      expect(encoder.broken).toBe(false);
      if (gaveUp) continue;
      expect(encoder.findings[0]?.nuls).toBe(2);
      expect(readBinary(sent).map(([field]) => field?.length)).toEqual([size - 1, size - 1]);
    }
  });

  test.each<[string, Model, Value, Partial<MysqlToCopyField>?]>([
    ["a boolean", models["boolean"] as Model, number(2n, 1)],
    ["a negative boolean", models["boolean"] as Model, number(-1n, 1)],
    ["an unsigned number", models["bigint unsigned, guessed"] as Model, number(2n ** 63n, 8, "9223372036854775808")],
    ["a negative time", models["time"] as Model, timeOf("-00:00:01.000000", 1, 0, 0, 1)],
    ["a time of two days", models["time"] as Model, timeOf("24:00:00.000000", 0, 1, 0, 0)],
    ["an enum's empty value", models["enum"] as Model, oneOf([""])(() => 0), { emptyLabel: false }],
    ["a key that is there twice", models["jsonb"] as Model, oneOf(['{"a":1,"a":2}'])(() => 0)],
    ["no document", models["json"] as Model, oneOf(["{"])(() => 0)],
    ["a date for a NOT NULL", models["date"] as Model, dateOf("2023-02-29", 2023, 2, 29), { nullable: false }],
    ["a moment for fail", models["timestamp"] as Model, dateOf("1900-02-29", 1900, 2, 29), { zero: "fail" }],
  ])("%s breaks the guess in the same words, in short rows and in long ones", (_, model, value, more = {}) => {
    for (const size of [0, 300_000]) {
      const fields = [fieldOf(model, more), fieldOf(models["text"] as Model)];
      const text = Buffer.alloc(size, "x");
      const { text: said, binary } = both(fields, [[value, { text, wire: text }]], () => 4096);
      expect(said.encoder.broken).toBe(true);
      expect(binary.encoder.broken).toBe(true);
      expect(binary.encoder.findings).toEqual(said.encoder.findings);
    }
  });

  test.each<[string, string, number[]]>([
    ["a field longer than its row", "a field is longer than its row", [3, 0, 0, 0, 0, 0, 5]],
    ["a row longer than its fields", "a row is longer than its fields", [6, 0, 0, 0, 0, 0, 1, 65, 1, 65]],
    [
      "a field of eight length bytes in a short row",
      "a field is longer than its row",
      [11, 0, 0, 0, 0, 0, 0xfe, 1, 0, 0, 0, 0, 0, 0, 0],
    ],
    ["a field whose length is NULL", "a field is longer than its row", [3, 0, 0, 0, 0, 0, 0xfb]],
    ["a long row whose field's length is NULL", "a field's length is none", [0xe0, 0x93, 4, 0, 0, 0, 0xfb]],
  ])("%s is refused", (_, message, sent) => {
    const bytes = Buffer.from(sent);
    const encoder = createBinaryEncoder([fieldOf(models["text"] as Model)], collect());
    expect(() => encoder.take(bytes, 0, bytes.length)).toThrow(new ProtocolError(message));
  });
});
