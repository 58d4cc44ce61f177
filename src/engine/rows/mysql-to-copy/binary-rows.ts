import { ProtocolError } from "../../mysql/driver/errors.ts";
import type { Blocks } from "../../run/memory/block-pool.ts";
import { type BinaryField, byByte, sizeOf } from "./binary-fields.ts";
import { createLongBinaryRow } from "./binary-long-row.ts";
import { bitmapBytes, isNull, rowStart } from "./binary-null.ts";
import { putInt16, putNull } from "./binary-values.ts";
import { createBinaryWriter, valueExtra, widestOf } from "./binary-writer.ts";
import { createEncoder, type MysqlToCopyEncoder } from "./encoder.ts";
import { noFindings } from "./fields.ts";

/** `PGCOPY`, its signature, no flags, no extension. Source: PostgreSQL, COPY, "Binary Format". */
const header = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
const trailer = Buffer.from([0xff, 0xff]);

/** Row packets of the binary protocol → COPY's binary format. */
export function createBinaryEncoder(fields: readonly BinaryField[], out: Blocks): MysqlToCopyEncoder {
  const columns = fields.length;
  const findings = fields.map(noFindings);
  const sizes = Int8Array.from(fields, (field) => sizeOf(field.op));
  let isBroken = false;
  const write = createBinaryWriter(fields, findings, () => {
    isBroken = true;
  });
  const fixed = rowStart + bitmapBytes(columns);

  const encode = (from: Buffer, start: number, rowEnd: number, to: Buffer, begin: number): number => {
    const bitmap = start + rowStart;
    let p = start + fixed;
    let at = putInt16(to, begin, columns);
    for (let column = 0; column < columns; column++) {
      if (isNull(from, bitmap, column)) {
        at = putNull(to, at);
        continue;
      }
      let size = sizes[column] as number;
      if (size <= 0) {
        const isLong = size !== byByte;
        size = from[p++] as number;
        if (isLong && size > 0xfa) {
          const bytes = size - 0xfa;
          // 0xfc: two bytes, 0xfd: three; a field with eight is longer than any row that comes here.
          if (bytes < 2 || bytes > 3) throw tooLong();
          size = from.readUIntLE(p, bytes);
          p += bytes;
        }
      }
      if (p + size > rowEnd) throw tooLong();
      at = write(column, from, p, size, to, at);
      p += size;
    }
    if (p !== rowEnd) throw new ProtocolError("a row is longer than its fields");
    return at;
  };

  return createEncoder(
    {
      findings,
      widest: Math.max(1, ...fields.map((field) => widestOf(field.op))),
      extra: columns * valueExtra + 64,
      header,
      trailer,
      encode,
      broke: () => isBroken,
      long: (output) => createLongBinaryRow(fields, findings, write, output),
    },
    out,
  );
}

const tooLong = () => new ProtocolError("a field is longer than its row");
