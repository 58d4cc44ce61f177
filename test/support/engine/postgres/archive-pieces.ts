/** For tests: pieces of archives as pg_dump 18 writes them: version 1.16, integers of four bytes, offsets of eight. */

export const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes[0] = value < 0 ? 1 : 0;
  bytes.writeUInt32LE(Math.abs(value), 1);
  return bytes;
};

export const text = (value: string): Buffer => Buffer.concat([int(Buffer.byteLength(value)), Buffer.from(value)]);
