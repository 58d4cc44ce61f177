import { expect, test } from "vitest";
import { createShapeCheck } from "./shape-check.ts";

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const head = (shape: number) => Buffer.concat([Buffer.of(1), u32(shape)]);
const at = (...numbers: number[]) =>
  Buffer.concat(
    numbers.map((number) => {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(number);
      return bytes;
    }),
  );
const points = (...numbers: number[]) => Buffer.concat([u32(numbers.length / 2), at(...numbers)]);
const point = (x: number, y: number) => Buffer.concat([head(1), at(x, y)]);
const line = (...numbers: number[]) => Buffer.concat([head(2), points(...numbers)]);
const square = points(0, 0, 0, 1, 1, 1, 0, 0);
const polygon = (...rings: Buffer[]) => Buffer.concat([head(3), u32(rings.length), ...rings]);
const many = (shape: number, ...parts: Buffer[]) => Buffer.concat([head(shape), u32(parts.length), ...parts]);
const of = (wkb: Buffer, srid = 4326) => Buffer.concat([u32(srid), wkb]);

const nested = (depth: number): Buffer => (depth === 0 ? point(1, 2) : many(7, nested(depth - 1)));

test.each<[string, Buffer, number, string | undefined]>([
  ["a point", of(point(1, 2)), 1, undefined],
  ["a point with an infinite coordinate", of(point(Number.POSITIVE_INFINITY, 2)), 1, undefined],
  ["a line", of(line(1, 2, 3, 4)), 2, undefined],
  ["a polygon with a hole", of(polygon(square, square)), 3, undefined],
  ["many points", of(many(4, point(1, 2), point(3, 4))), 4, undefined],
  ["many lines", of(many(5, line(1, 2, 3, 4))), 5, undefined],
  ["many polygons", of(many(6, polygon(square), polygon(square, square))), 6, undefined],
  ["a collection of all", of(many(7, many(7), many(6, polygon(square)), line(0, 0, 1, 1), point(5, 5))), 7, undefined],
  ["an empty collection", of(many(7)), 0, undefined],
  ["any geometry without an SRID", of(point(1, 2), 0), 0, undefined],
  ["another geometry than its column's", of(point(1, 2)), 2, "bytes that are no geometry of its type"],
  ["a line among points", of(many(4, line(1, 2, 3, 4))), 4, "bytes that are no geometry of its type"],
  ["big-endian", of(Buffer.concat([Buffer.of(0, 0, 0, 0, 1), at(1, 2)])), 0, "bytes that are no geometry of its type"],
  [
    "coordinates of three dimensions",
    of(Buffer.concat([head(1001), at(1, 2, 3)])),
    0,
    "bytes that are no geometry of its type",
  ],
  ["a line of one point", of(line(1, 2)), 0, "a line or ring with too few points"],
  ["a ring of three points", of(polygon(points(0, 0, 1, 1, 0, 0))), 0, "a line or ring with too few points"],
  ["an open ring", of(polygon(points(0, 0, 0, 1, 1, 1, 1, 0))), 0, "a polygon whose ring is not closed"],
  [
    "a ring closed but for a sign",
    of(polygon(points(0, 0, 0, 1, 1, 1, -0, 0))),
    0,
    "a polygon whose ring is not closed",
  ],
  ["a coordinate that is none", of(point(1, Number.NaN)), 0, "a coordinate that is no number"],
  ["an SRID beyond PostGIS's", of(point(1, 2), 1_000_000), 0, "an SRID above 999999"],
  ["its end cut off", of(point(1, 2)).subarray(0, 20), 0, "a geometry that ends too early"],
  ["nothing", Buffer.alloc(0), 0, "a geometry that ends too early"],
  ["a tail", Buffer.concat([of(point(1, 2)), Buffer.of(0)]), 0, "bytes after a geometry"],
  ["collections as deep as a well", of(nested(101)), 0, "geometries nested too deep"],
])("%s is judged alike, whole and byte by byte", (_, bytes, shape, words) => {
  const check = createShapeCheck();
  check.start(shape);
  check.feed(bytes, 0, bytes.length);
  expect(check.finish()).toBe(words);
  check.start(shape);
  for (let byte = 0; byte < bytes.length; byte++) check.feed(bytes, byte, byte + 1);
  expect(check.finish()).toBe(words);
});
