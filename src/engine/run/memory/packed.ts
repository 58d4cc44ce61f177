import { deflateRawSync, inflateRawSync } from "node:zlib";
import { createBlocks } from "./blocks.ts";

/**
 * A long list that is read seldom and in order, such as the objects of a database: it is kept as compressed JSON, in a tenth
 * of the memory that objects take. What is read is equal to what was pushed as far as JSON tells it: a field with the value
 * undefined is left out.
 */
export interface Packed<T> extends Iterable<T> {
  readonly length: number;
  push(...values: readonly T[]): void;
}

/** Values that are compressed, and read, together. */
const together = 512;

export function createPacked<T>(values: Iterable<T> = []): Packed<T> {
  const kept = createBlocks();
  const chunks: Buffer[] = [];
  let last: T[] = [];
  const add = (value: T) => {
    last.push(value);
    if (last.length < together) return;
    chunks.push(kept(packedValues(last)));
    last = [];
  };
  for (const value of values) add(value);
  return {
    get length() {
      return chunks.length * together + last.length;
    },
    push: (...more) => more.forEach(add),
    *[Symbol.iterator]() {
      for (const chunk of chunks) yield* unpackedValues<T>(chunk);
      yield* last;
    },
  };
}

export const packedValues = (values: readonly unknown[]): Buffer =>
  deflateRawSync(JSON.stringify(values), { level: 1 });

const unpackedValues = <T>(bytes: Buffer): T[] => JSON.parse(inflateRawSync(bytes).toString()) as T[];

/** Many short lists, compressed as a Packed is: values come in any order, and those of one group are read together. */
interface Groups<T> {
  add(group: number, value: T): void;
  of(group: number): T[];
}

/** Values that wait to be compressed. */
const mostWaiting = 4_096;

export function createPackedGroups<T>(): Groups<T> {
  const kept = createBlocks();
  const chunks = new Map<number, Buffer[]>();
  let waiting = new Map<number, T[]>();
  let count = 0;
  const settle = () => {
    for (const [group, values] of waiting) {
      const some = chunks.get(group);
      const bytes = kept(packedValues(values));
      if (some === undefined) chunks.set(group, [bytes]);
      else some.push(bytes);
    }
    waiting = new Map();
    count = 0;
  };
  return {
    add(group, value) {
      const some = waiting.get(group);
      if (some === undefined) waiting.set(group, [value]);
      else some.push(value);
      if (++count >= mostWaiting) settle();
    },
    of: (group) => [
      ...(chunks.get(group) ?? []).flatMap((bytes) => unpackedValues<T>(bytes)),
      ...(waiting.get(group) ?? []),
    ],
  };
}

/** Groups of neighbours, each of `most` or fewer. */
export function* batches<T>(values: Iterable<T>, most: number): Generator<T[]> {
  let some: T[] = [];
  for (const value of values) {
    some.push(value);
    if (some.length < most) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
