import { describe, expect, test } from "vitest";
import { EngineError } from "../../src/engine/contract/index.ts";
import { inputBytes } from "../../src/engine/mysql/driver/input.ts";
import { createScanner } from "../../src/engine/rows/copy-scan.ts";
import { type CopyToLoadField, kind as postgresKind } from "../../src/engine/rows/copy-to-load/fields.ts";
import { createCopyToLoadEncoder } from "../../src/engine/rows/copy-to-load/rows.ts";
import type { BinaryField } from "../../src/engine/rows/mysql-to-copy/binary-fields.ts";
import { createBinaryEncoder } from "../../src/engine/rows/mysql-to-copy/binary-rows.ts";
import { createTextEncoder } from "../../src/engine/rows/mysql-to-copy/rows.ts";
import { blockBytes } from "../../src/engine/run/memory/block-pool.ts";
import { chosenSeed } from "../seed.ts";
import { type Model, models } from "../support/engine/rows/models.ts";
import { binaryPayload, collect, end, packets, payload, randomly } from "../support/engine/rows/packets.ts";
import { message } from "./rogue.ts";

/** Rows of a server that lies: what converts them stays within its buffers, and comes to an end. */

const names = Object.keys(models);

/** Bytes that mean a length, NULL, an end or an error, and any others. */
const telling = [0xfb, 0xfc, 0xfd, 0xfe, 0xff, 0x00, 0x7f, 0x80];

function spoil(bytes: Buffer, below: (most: number) => number, from: number): Buffer {
  const spoilt = Buffer.from(bytes);
  for (let times = 1 + below(6); times > 0; times--) {
    const at = from + below(Math.max(1, bytes.length - from));
    spoilt[at] = below(2) === 0 ? (telling[below(telling.length)] as number) : below(256);
  }
  return below(4) === 0 ? spoilt.subarray(0, from + below(spoilt.length - from)) : spoilt;
}

/** As the connection feeds it; answers how it ended. */
function fed(make: Parameters<typeof encoderOf>[0], input: Buffer, piece: () => number): string {
  const blocks = collect();
  const encoder = encoderOf(make, blocks);
  let tail = Buffer.alloc(0);
  try {
    for (let at = 0; at < input.length && !encoder.ended; ) {
      const size = piece();
      const buffer = Buffer.concat([tail, input.subarray(at, at + size)]);
      at += size;
      const stopped = encoder.take(buffer, 0, buffer.length);
      expect(stopped).toBeGreaterThanOrEqual(0);
      expect(stopped).toBeLessThanOrEqual(buffer.length);
      tail = Buffer.from(buffer.subarray(stopped));
      if (tail.length >= inputBytes) return "full";
    }
    return encoder.ended ? "ended" : "waiting";
  } catch (error) {
    return error instanceof Error ? error.name : "thrown";
  } finally {
    expect(blocks.largest).toBeLessThanOrEqual(blockBytes);
  }
}

function encoderOf(how: { fields: readonly BinaryField[]; binary: boolean }, out: ReturnType<typeof collect>) {
  return how.binary ? createBinaryEncoder(how.fields, out) : createTextEncoder(how.fields, out);
}

describe.each([true, false])("rows of the binary protocol: %s", (binary) => {
  test("spoilt anywhere they end in an error of ours, in rows, or wait for more", () => {
    const seed = chosenSeed();
    const random = randomly(seed);
    const below = (most: number) => Math.floor(random() * most);
    const met = new Map<string, number>();
    for (let round = 0; round < 2_000; round++) {
      const used = Array.from({ length: 1 + below(8) }, () => models[names[below(names.length)] as string] as Model);
      const fields = used.map((model): BinaryField => ({ nullable: true, ...model.field, op: model.op }));
      const rows = Array.from({ length: 1 + below(5) }, () => {
        const values = used.map((model) => (below(8) === 0 ? null : model.value(below)));
        const whole = binary
          ? binaryPayload(
              fields,
              values.map((value) => value?.wire ?? null),
            )
          : payload(values.map((value) => value?.text ?? null));
        // The packet's own head is right, or spoilt with the rest.
        return below(3) === 0 ? spoil(packets(whole), below, 0) : packets(spoil(whole, below, 0));
      });
      const how = fed({ fields, binary }, Buffer.concat([...rows, end]), () => 1 + below(300));
      met.set(how, (met.get(how) ?? 0) + 1);
    }
    const known = ["ended", "waiting", "full", "EngineError", "Error", "RangeError"];
    expect(
      [...met.keys()].filter((how) => !known.includes(how)),
      `seed ${seed}`,
    ).toEqual([]);
    expect(met.size).toBeGreaterThan(1);
  });
});

/** COPY's text in CopyData messages; a length may lie. */
const copyData = (body: Buffer | string, length?: number): Buffer => message("d", body, length);

const textFields: CopyToLoadField[] = [
  { kind: postgresKind.raw, nullable: true },
  { kind: postgresKind.text, nullable: true },
];

function postgresFed(input: Buffer, piece: () => number, discarding = false): string {
  const block = () => Buffer.alloc(blockBytes);
  const encoder = createCopyToLoadEncoder(textFields, {
    first: block,
    flush: (_block, written) => {
      expect(written).toBeLessThanOrEqual(blockBytes);
      return block();
    },
    spare: () => undefined,
  });
  if (discarding) encoder.discard();
  let tail = Buffer.alloc(0);
  try {
    for (let at = 0; at < input.length; ) {
      const size = piece();
      const buffer = Buffer.concat([tail, input.subarray(at, at + size)]);
      at += size;
      const stopped = encoder.take(buffer, 0, buffer.length);
      expect(stopped).toBeGreaterThanOrEqual(0);
      expect(stopped).toBeLessThanOrEqual(buffer.length);
      tail = Buffer.from(buffer.subarray(stopped));
    }
    return "read";
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error);
  }
}

describe("rows of COPY", () => {
  test.each([
    ["no line's end", copyData("1\ta")],
    ["no line's end, and a line's end in the next message", Buffer.concat([copyData("1\ta"), copyData("2\tb\n")])],
    ["a backslash at the end", copyData("1\ta\\\n")],
    ["nothing", copyData("")],
    ["a length of 0", copyData("1\ta\n", 0)],
    ["a length of 3", copyData("1\ta\n", 3)],
    ["a length of -1", copyData("1\ta\n", 0xffffffff)],
    ["a length of -5 behind a row", Buffer.concat([copyData("1\ta\n"), copyData("1\ta\n", 0xfffffffb)])],
    ["more columns", copyData("1\ta\tb\n")],
    ["fewer columns", copyData("1\n")],
    ["two rows", copyData("1\ta\n2\tb\n")],
  ])("with %s are no rows", (_what, input) => {
    expect(postgresFed(Buffer.concat([input, Buffer.alloc(64)]), () => 4096)).toBe("protocol_error");
  });

  test("whose length is negative do not hold up who throws them away", () => {
    expect(postgresFed(copyData("1\ta\n", 0xffffffff), () => 4096, true)).toBe("protocol_error");
  });

  test("spoilt anywhere are read, or refused", () => {
    const seed = chosenSeed();
    const random = randomly(seed);
    const below = (most: number) => Math.floor(random() * most);
    const met = new Set<string>();
    for (let round = 0; round < 3_000; round++) {
      const rows = Array.from({ length: 1 + below(6) }, () =>
        copyData(`${below(1e6)}\ta\\tb\\\\${"x".repeat(below(40))}\n`),
      );
      met.add(postgresFed(spoil(Buffer.concat(rows), below, 0), () => 1 + below(60)));
    }
    expect(
      [...met].filter((how) => how !== "read" && how !== "protocol_error"),
      `seed ${seed}`,
    ).toEqual([]);
  });

  test.each([0, 3, 0x80000000, 0xfffffffe, 0xffffffff])(
    "a message of length %i is told apart by no two readers: it is passed to no target",
    (length) => {
      for (const type of ["d", "N"])
        for (const step of [1, 4, 4096]) {
          const passed: string[] = [];
          const scanner = createScanner({ forward: () => passed.push("forward"), foreign: () => undefined });
          const bytes = Buffer.concat([message(type, "abc", length), Buffer.from("Q\0\0\0\x08DROP")]);
          const scan = () => {
            for (let at = 0; at < bytes.length; at += step) scanner.scan(bytes, at, Math.min(bytes.length, at + step));
          };
          expect(scan).toThrow(/length that none has/);
          if (step > 4) expect(passed).toEqual([]);
        }
    },
  );
});
