import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { random } from "../../../test/chaos/random.ts";
import { elementsOf, membersOf, NoSuchPart, partAt } from "./json-parts.ts";

const collected = async (pieces: AsyncIterable<Buffer>): Promise<Buffer[]> => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
};
const partOf = async (text: string, path: string[]) =>
  Buffer.concat(await collected(partAt([Buffer.from(text)], path))).toString("utf8");

test("whatever the text and wherever it is cut, a part is what a parser finds there", async () => {
  const seed = randomInt(2 ** 31);
  const chance = random(seed);
  const pick = <T>(...of: T[]): T => of[Math.floor(chance.next() * of.length)] as T;
  const word = () => pick("a", "report", "made", 'q"uote', "back\\slash", "{", "]}", ",", ":", "é\u{1f42c}", "", "\n");
  const value = (depth: number): unknown => {
    const kind = depth > 4 ? pick("word", "number", "bool") : pick("word", "number", "bool", "list", "object");
    if (kind === "word") return word() + word();
    if (kind === "number") return chance.next() * 1e6;
    if (kind === "bool") return pick(true, null);
    const members = Array.from({ length: Math.floor(chance.next() * 4) }, () => value(depth + 1));
    return kind === "list" ? members : Object.fromEntries(members.map((member) => [word(), member]));
  };
  for (let round = 0; round < 500; round += 1) {
    const made = Array.from({ length: Math.floor(chance.next() * 5) }, () => value(2));
    const fields = [
      ["a", value(1)],
      ["report", { before: value(2), made, after: value(2) }],
      ["log", [value(2)]],
    ];
    const whole = Object.fromEntries(chance.next() < 0.5 ? fields : fields.reverse());
    const bytes = Buffer.from(JSON.stringify(whole, null, pick<number | undefined>(undefined, 1)));
    function* pieces() {
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + Math.floor(chance.next() * pick(2, 20, 400));
        yield bytes.subarray(at, end);
        at = end;
      }
    }
    const said = `seed ${seed}, round ${round}`;
    const report = JSON.parse(Buffer.concat(await collected(partAt(pieces(), ["report"]))).toString());
    expect(report, said).toEqual(whole["report"]);
    const elements = await collected(elementsOf(partAt(pieces(), ["report", "made"]), 1 << 20));
    expect(
      elements.map((element) => JSON.parse(element.toString())),
      said,
    ).toEqual(made);
    const members: [string, unknown][] = [];
    for await (const member of membersOf(partAt(pieces(), ["report"]), 1 << 20)) members.push(member);
    expect(Object.fromEntries(members), said).toEqual(whole["report"]);
  }
});

test.each([
  ["nothing", ""],
  ["no object", "[]"],
  ["a number", "7"],
  ["zeros", "\0\0\0"],
  ["an object without it", '{"a":{"report":{}},"b":"report"}'],
  ["an object that has it deeper", '{"a":[{"report":{}}]}'],
  ["one where it is a text", '{"report":"x"}'],
  ["a text that ends before it", '{"log":[],"rep'],
  ["a text that ends in it", '{"report":{"a":[1,2'],
  ["a text that ends in a string of it", '{"report":{"a":"}}}'],
])("of %s there is no such part", async (_what, text) => {
  await expect(partOf(text, ["report"])).rejects.toBeInstanceOf(NoSuchPart);
});

test("an element that is longer than may be is none, and what is no array has none", async () => {
  const elements = (text: string) => collected(elementsOf([Buffer.from(text)], 10));
  await expect(elements('["123456789"]')).rejects.toBeInstanceOf(NoSuchPart);
  await expect(elements("{}")).rejects.toBeInstanceOf(NoSuchPart);
  await expect(elements("[1,2")).rejects.toBeInstanceOf(NoSuchPart);
  expect(await elements(" [ ]".trim())).toEqual([]);
});

test("members of an object are read without those that are too long, and what is no object has none", async () => {
  const members = async (text: string) => {
    const found: [string, unknown][] = [];
    for await (const member of membersOf([Buffer.from(text)], 14)) found.push(member);
    return found;
  };
  expect(await members('{"a":1,"b":"12345678","c":["123456789"],"d":{}}')).toEqual([
    ["a", 1],
    ["b", "12345678"],
    ["d", {}],
  ]);
  expect(await members("{ }")).toEqual([]);
  await expect(members("[]")).rejects.toBeInstanceOf(NoSuchPart);
});
