import { describe, expect, test } from "vitest";
import { ProtocolError } from "./errors.ts";
import type { Channel, Consume } from "./input.ts";
import { executeCommand, readPrepared, type Statement } from "./prepared.ts";
import { readResult } from "./result.ts";
import { packet } from "./wire.ts";

const channel = (): Channel & { now(): Consume } => {
  let reader: Consume = (_, start) => start;
  const nothing = () => undefined;
  return {
    reader(consume) {
      reader = consume;
    },
    now: () => reader,
    send: nothing,
    write: nothing,
    pause: nothing,
    resume: nothing,
    encrypted: () => false,
    secure: async () => undefined,
    destroy: nothing,
  };
};

const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
const definition = (type: number, flags = 0) =>
  Buffer.concat([
    ...["def", "d", "t", "t", "c", "c"].map(text),
    Buffer.from([0x0c, 45, 0, 20, 0, 0, 0, type, flags & 0xff, flags >> 8, 0, 0, 0]),
  ]);
const head = (columns: number, parameters = 0) => Buffer.from([0, 7, 1, 0, 0, columns, 0, parameters, 0, 0, 0, 0]);
const eof = Buffer.from([0xfe, 0, 0, 2, 0]);
const framed = (payloads: readonly Buffer[]) => Buffer.concat(payloads.map((payload, at) => packet(at + 1, payload)));

/** Gives the answer byte by byte, as far as it is read. */
function prepared(payloads: readonly Buffer[]): { statement?: Statement; error?: Error } {
  const found: { statement?: Statement; error?: Error } = {};
  const read = readPrepared(channel(), {
    done(statement) {
      found.statement = statement;
    },
    failed(error) {
      found.error = error;
    },
  });
  const input = framed(payloads);
  let start = 0;
  for (let end = 1; end <= input.length && Object.keys(found).length === 0; end++) start = read(input, start, end);
  return found;
}

describe("what a server says of a statement to prepare", () => {
  test("is its number and its columns, however it is cut", () => {
    expect(prepared([head(2), definition(8, 0x20), definition(253), eof])).toEqual({
      statement: {
        id: 263,
        columns: [
          { type: 8, unsigned: true },
          { type: 253, unsigned: false },
        ],
      },
    });
    expect([...executeCommand(263)]).toEqual([0x17, 7, 1, 0, 0, 0, 1, 0, 0, 0]);
  });

  test("is an error in its own words", () => {
    const refused = Buffer.concat([Buffer.from([0xff, 0xb5, 0x05]), Buffer.from("#42000no room")]);
    expect(prepared([refused])).toMatchObject({ error: { number: 1461, message: "no room" } });
  });

  test.each<[string, string, Buffer[]]>([
    ["a wish for a file", "the server does not say what it prepared", [Buffer.from("\xfb/etc/passwd", "latin1")]],
    ["an answer that is too short", "the server does not say what it prepared", [Buffer.from([0, 1, 0, 0, 0])]],
    ["a wish for parameters", "the server asks for parameters of a statement without", [head(1, 1)]],
    ["no columns", "the server prepared a statement without a result", [head(0)]],
    [
      "a definition that ends too soon",
      "a column's definition ends too soon",
      [head(1), definition(8).subarray(0, 14)],
    ],
    [
      "more definitions than columns",
      "the column definitions do not end where they should",
      [head(1), definition(8), definition(8)],
    ],
  ])("is not %s", (_, message, payloads) => {
    expect(() => prepared(payloads)).toThrow(new ProtocolError(message));
  });
});

test("rows of other types than were prepared are not read", () => {
  const columns = [
    { type: 8, unsigned: false },
    { type: 252, unsigned: false },
  ];
  const execute = (...sent: Buffer[]) => {
    const on = channel();
    const sink = { take: (_: Buffer, start: number) => start, ended: false, room: () => undefined };
    const read = readResult(on, { columns, sink }, { done: () => undefined, failed: () => undefined });
    const input = framed([Buffer.from([sent.length]), ...sent, eof]);
    return read(input, 0, input.length);
  };
  expect(() => execute(definition(5), definition(252))).toThrow(/another type/);
  expect(() => execute(definition(8, 0x20), definition(252))).toThrow(/another type/);
  expect(() => execute(definition(8))).toThrow(/1 columns where 2/);
  // A text by another name is the same on the wire.
  expect(() => execute(definition(8), definition(253))).not.toThrow();
});
