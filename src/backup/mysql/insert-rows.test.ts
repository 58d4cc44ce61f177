import { describe, expect, test } from "vitest";
import { random } from "../../../test/chaos/random.ts";
import { chosenSeed } from "../../../test/seed.ts";
import { end, packets, payload } from "../../../test/support/engine/rows/packets.ts";
import { fullPacket } from "../../engine/mysql/driver/wire.ts";
import { createInserts, type InsertTarget } from "../../engine/mysql/target/insert.ts";
import { blockStart, type Loader } from "../../engine/mysql/target/loader.ts";
import { createMysqlToLoadEncoder, kind } from "../../engine/rows/mysql-to-load/rows.ts";
import { blockBytes } from "../../engine/run/memory/block-pool.ts";
import { createInsertRows } from "./insert-rows.ts";

/** Rows of the wire as INSERT statements, compared with the engine's two steps. */

const target = (columns: number, more: Partial<InsertTarget> = {}): InsertTarget => ({
  into: "INSERT INTO `t`",
  columns: Array.from({ length: columns }, (_, at) => ({
    name: `c${at}`,
    ...(at === 1 ? { value: (field: string) => `UNHEX(${field})` } : {}),
  })),
  most: 20_000,
  limit: 1 << 30,
  tooLarge: (bytes) => new Error(`a row of ${bytes} bytes`),
  ...more,
});

const wire = (row: readonly (Buffer | null)[]): Buffer => packets(payload(row));

interface Reader {
  take(buffer: Buffer, start: number, end: number): number;
  readonly ended: boolean;
}

/** Gives the bytes as they come from a socket, cut anywhere. */
function feed(sink: Reader, input: Buffer, piece: () => number): void {
  for (let at = 0, until = 0; !sink.ended; at = sink.take(input, at, until)) {
    if (until === input.length && at === until) throw new Error("the rows have no end");
    until = Math.min(input.length, until + piece());
  }
}

function direct(kinds: readonly number[], to: InsertTarget, input: Buffer, piece: () => number) {
  const statements: string[] = [];
  const rows = createInsertRows(kinds, to, {
    take: (bytes) => Buffer.alloc(bytes, 0x78),
    send: (buffer, length) => void statements.push(buffer.toString("latin1", 0, length)),
    room: () => undefined,
  });
  feed(rows, input, piece);
  rows.finish();
  return { statements, rows: rows.rows, empty: rows.empty };
}

function inTwoSteps(kinds: readonly number[], to: InsertTarget, input: Buffer) {
  const statements: string[] = [];
  const inserts = createInserts(to, (statement) => void statements.push(statement.toString("latin1")));
  const loader: Loader = {
    first: () => Buffer.alloc(blockBytes),
    spare: () => undefined,
    flush(block, until) {
      inserts.feed(block, blockStart, until);
      return block;
    },
    room: () => undefined,
    finish: async () => undefined,
    abort: async () => undefined,
  };
  const encoder = createMysqlToLoadEncoder(kinds, loader);
  feed(encoder, input, () => input.length);
  encoder.finish();
  inserts.end();
  return { statements, rows: encoder.rows, empty: encoder.empty };
}

const kinds = [kind.plain, kind.text, kind.enumeration, kind.text];

describe("rows to INSERT statements", () => {
  test("random rows, short and long, are the statements of the two steps, however they are cut", () => {
    const chosen = chosenSeed();
    const { below, next, pick } = random(chosen);
    for (let round = 0; round < 9; round++) {
      const sizes = [0, 1, 250, 251, 300, 65_535, 65_536, ...(round % 3 === 0 ? [140_000, 400_000] : [])];
      const field = (how: number): Buffer | null => {
        if (next() < 0.1) return null;
        const bytes = Buffer.alloc(next() < 0.9 ? below(40) : pick(sizes));
        for (let at = 0; at < bytes.length; at++)
          bytes[at] = how === kind.plain ? 48 + below(10) : pick([0, 9, 10, 39, 92, 65, below(256)]);
        return bytes;
      };
      const input = Buffer.concat([...Array.from({ length: below(60) }, () => wire(kinds.map(field))), end]);
      const to = target(kinds.length);
      const most = pick([20, 1000, 70_000]) * (input.length > 1_000_000 ? 100 : 1);
      const found = direct(kinds, to, input, () => 1 + below(most));
      const wanted = inTwoSteps(kinds, to, input);
      expect(found.statements.join("\n") === wanted.statements.join("\n"), `seed ${chosen}, round ${round}`).toBe(true);
      expect([found.rows, found.empty]).toEqual([wanted.rows, wanted.empty]);
    }
  });

  test("a row of more than one packet", () => {
    const long = Buffer.alloc(fullPacket + 1000, 0x27);
    const input = Buffer.concat([wire([long]), wire([Buffer.from("1")]), end]);
    const { statements, rows } = direct([kind.text], target(1), input, () => 1 << 20);
    expect(rows).toBe(2);
    expect(statements.map(({ length }) => length)).toEqual([
      "INSERT INTO `t` (`c0`) VALUES (_binary'')".length + long.length * 2,
      "INSERT INTO `t` (`c0`) VALUES (_binary'1')".length,
    ]);
  });

  test("a row that would make the statement too long begins the next one, and one that is too long by itself is refused", () => {
    const to = target(1, { most: 150, limit: 200 });
    const input = (...lengths: number[]) =>
      Buffer.concat([...lengths.map((length) => wire([Buffer.alloc(length, 0x7a)])), end]);
    const { statements } = direct([kind.text], to, input(60, 100, 20), () => 1000);
    expect(statements.map((text) => text.match(/z+/g)?.map(({ length }) => length))).toEqual([[60], [100, 20]]);
    expect(() => direct([kind.text], to, input(170), () => 1000)).toThrow("a row of");
  });

  test("what is no row of so many fields is refused", () => {
    const bad = (bytes: number[]) => () =>
      direct(kinds, target(4), Buffer.concat([Buffer.from([bytes.length, 0, 0, 1, ...bytes]), end]), () => 100);
    expect(bad([1, 65])).toThrow("longer than its row");
    expect(bad([0, 0, 0, 0, 0])).toThrow("longer than its fields");
    expect(bad([0, 0, 0, 9, 1])).toThrow("longer than its row");
  });
});
