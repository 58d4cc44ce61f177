import { expect, test } from "vitest";
import { takenAlong } from "./drop-circle.ts";

const type = { id: "1247:1", sub: 0, partOf: [] };
const arrays = { id: "1247:2", sub: 0, partOf: ["1247:1"] };
const input = { id: "1255:3", sub: 0, partOf: [] };
const output = { id: "1255:4", sub: 0, partOf: [] };
const column = { id: "1259:5", sub: 2, partOf: [] };
const fallback = { id: "2604:6", sub: 0, partOf: ["1259:5"] };

test.each([
  ["a type's functions are named, its array type goes with it", [type, arrays, input, output], [1, 3, 4], 2],
  ["one function of another's forbids it", [type, arrays, input, output], [1, 3], undefined],
  ["a column of a table of its own is named, its default goes with it", [type, column, fallback], [1, 5], 2],
  ["a column of another's table forbids it", [type, column], [1], undefined],
  ["a column is not named beside its table", [type, { ...column, sub: 0 }, column, fallback], [1, 5], 1],
])("%s", (_, reached, own, expected) => {
  const ids = reached.flatMap(({ id }) => (own.includes(Number(id.split(":")[1])) ? [id] : []));
  expect(takenAlong("1247:1", reached, new Set(ids))).toBe(expected);
});
