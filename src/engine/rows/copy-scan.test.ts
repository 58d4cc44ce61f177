import { describe, expect, it } from "vitest";
import { createScanner } from "./copy-scan.ts";

const message = (type: string, body: Buffer) => {
  const header = Buffer.alloc(5);
  header.write(type, 0, "latin1");
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
};

/** A small generator with a printed seed, so that a failure can be run again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function split(stream: Buffer, sizes: () => number) {
  const forwarded: Buffer[] = [];
  const foreign: Buffer[] = [];
  let piece = Buffer.alloc(0);
  const scanner = createScanner({
    forward: (from, to) => forwarded.push(Buffer.from(piece.subarray(from, to))),
    foreign: (from, to) => foreign.push(Buffer.from(piece.subarray(from, to))),
  });
  for (let at = 0; at < stream.length; ) {
    const size = Math.max(1, sizes());
    // The piece stands somewhere inside a larger buffer, as a block does.
    piece = Buffer.concat([Buffer.alloc(3), stream.subarray(at, at + size)]);
    scanner.scan(piece, 3, piece.length);
    at += size;
  }
  return { forwarded: Buffer.concat(forwarded), foreign: Buffer.concat(foreign), scanner };
}

describe("the scanner of COPY streams", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

  it(`forwards exactly the CopyData messages however the stream is cut (SEED=${seed})`, () => {
    const next = random(seed);
    for (let round = 0; round < 200; round++) {
      const data: Buffer[] = [];
      const other: Buffer[] = [message("H", Buffer.from([0, 0, 1, 0, 0]))];
      const stream: Buffer[] = [other[0] as Buffer];
      const count = Math.floor(next() * 20);
      for (let i = 0; i < count; i++) {
        const isData = next() < 0.85;
        const one = isData
          ? message("d", Buffer.alloc(Math.floor(next() * 40), 0x64))
          : message(next() < 0.5 ? "N" : "S", Buffer.alloc(Math.floor(next() * 12), 0x63));
        stream.push(one);
        (isData ? data : other).push(one);
      }
      const tail = [
        message("c", Buffer.alloc(0)),
        message("C", Buffer.from("COPY 7\0")),
        message("Z", Buffer.from("T")),
      ];
      const got = split(Buffer.concat([...stream, ...tail]), () => Math.floor(next() * 30));
      expect(got.forwarded).toEqual(Buffer.concat(data));
      expect(got.foreign).toEqual(Buffer.concat([...other, ...tail]));
      expect(got.scanner.messages).toBe(data.length);
      expect(got.scanner.over).toBe(true);
    }
  });

  it("leaves COPY at an error, so that the driver reads it", () => {
    const error = message("E", Buffer.from("SERROR\0\0"));
    const got = split(
      Buffer.concat([message("d", Buffer.from("x\n")), error, message("Z", Buffer.from("E"))]),
      () => 4,
    );
    expect(got.forwarded).toEqual(message("d", Buffer.from("x\n")));
    expect(got.foreign.subarray(0, error.length)).toEqual(error);
    expect(got.scanner.over).toBe(true);
  });
});
