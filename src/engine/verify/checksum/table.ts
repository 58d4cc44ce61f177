import type { TableDifference } from "../../contract/index.ts";
import type { Sum } from "./dialect.ts";
import type { Reader } from "./side.ts";
import type { KeyRange, TableSide } from "./table-side.ts";

/** Compares one table part by part, and looks into the parts that differ until it has rows. */

export interface TableWork {
  source: { half: TableSide; label: string };
  target: { half: TableSide; label: string };
  /** Names of the key's columns in the source; none: rows have no name. */
  key: readonly string[];
  /** An estimate. */
  rows: number;
  ranged: boolean;
  /** There are cheaper forms, and none of its parts has been found to need the others. */
  fast: boolean;
}

/** A session on each side. */
export interface ReaderPair {
  source: Reader;
  target: Reader;
}

/** What one task compares; a side without a range has no more of them. */
export interface ComparedPart {
  source: KeyRange | undefined;
  target: KeyRange | undefined;
}

export interface ComparedSums {
  part: ComparedPart;
  source: Sum;
  target: Sum;
  /** Known already, where the rows were added up here. */
  shares?: Found;
}

/** Sums of the rows' shares on both sides. */
interface Found {
  n: number;
  source: Map<number, Sum>;
  target: Map<number, Sum>;
}

const mostParts = 64;
/** Rows whose keys and hashes are held here at a time. */
const heldRows = 20_000;
/** Rows that are looked at one by one in a table, at most, once enough keys are known. */
const countedRows = 200_000;

/**
 * Parts that together are the whole table, whatever it holds: ranges of a key that both sides have alike, which can be
 * compared one by one, else each side's own, of which only the sum can. `partRows`: about what one statement adds up.
 */
export async function comparedParts(work: TableWork, readers: ReaderPair, partRows: number): Promise<ComparedPart[]> {
  const { source, target, rows, ranged } = work;
  const wanted = Math.min(mostParts, Math.ceil(rows / partRows));
  if (wanted < 2) return [whole];
  if (ranged)
    return (await rangesOf(source.half, readers.source, wanted)).map((range) => ({ source: range, target: range }));
  const [ours, theirs] = await both(
    source.half.split(readers.source, wanted, rows),
    target.half.split(readers.target, wanted, rows),
  );
  return Array.from({ length: Math.max(ours.length, theirs.length) }, (_, at) => ({
    source: ours[at],
    target: theirs[at],
  }));
}

const whole: ComparedPart = { source: {}, target: {} };

async function rangesOf(half: TableSide, reader: Reader, wanted: number): Promise<KeyRange[]> {
  const ends = await half.ends(reader);
  if (ends === undefined) return [{}];
  const { low, high } = ends;
  const bounds = Array.from(
    { length: wanted - 1 },
    (_, index) => low + ((high - low) * BigInt(index + 1)) / BigInt(wanted),
  );
  const inner = bounds.filter((bound, index) => index === 0 || bound !== bounds[index - 1]);
  return [...inner, undefined].map((upTo, index) => ({ above: index === 0 ? undefined : inner[index - 1], upTo }));
}

const nothing = (): Sum => ({ rows: 0, hash: 0n });

export async function comparePart(
  work: TableWork,
  readers: ReaderPair,
  part: ComparedPart,
  fast: boolean,
): Promise<ComparedSums> {
  const { source, target } = work;
  if (!fast && source.half.streamed) {
    const shares = await findShares(work, readers, part, streamedShares);
    return { part, source: addedUp(shares.source.values()), target: addedUp(shares.target.values()), shares };
  }
  const total = (half: TableSide, reader: Reader, range: KeyRange | undefined) =>
    range === undefined ? Promise.resolve(nothing()) : half.total(reader, range, fast);
  const [one, other] = await both(
    total(source.half, readers.source, part.source),
    total(target.half, readers.target, part.target),
  );
  return { part, source: one, target: other };
}

/** The whole table, of parts that cannot be compared one by one. */
export function mergeSums(results: readonly ComparedSums[]): ComparedSums {
  const [first] = results;
  const shares = results.map(({ shares: found }) => found).filter((found) => found !== undefined);
  const merged = (side: "source" | "target") => {
    const sums = new Map<number, Sum>();
    for (const found of shares)
      for (const [share, sum] of found[side]) sums.set(share, addedUp([sums.get(share) ?? nothing(), sum]));
    return sums;
  };
  return {
    part: whole,
    source: addedUp(results.map(({ source }) => source)),
    target: addedUp(results.map(({ target }) => target)),
    ...(first?.shares === undefined
      ? {}
      : { shares: { n: first.shares.n, source: merged("source"), target: merged("target") } }),
  };
}

/** Of rows that are read here: to add up their shares costs nothing more, and saves reading all again. */
const streamedShares = 1024;

async function findShares(
  { source, target }: TableWork,
  readers: ReaderPair,
  part: ComparedPart,
  n: number,
): Promise<Found> {
  const shares = (half: TableSide, reader: Reader, range: KeyRange | undefined) =>
    range === undefined ? Promise.resolve(new Map<number, Sum>()) : half.buckets(reader, range, n);
  const [ours, theirs] = await both(
    shares(source.half, readers.source, part.source),
    shares(target.half, readers.target, part.target),
  );
  return { n, source: ours, target: theirs };
}

function addedUp(sums: Iterable<Sum>): Sum {
  const total = nothing();
  for (const { rows, hash } of sums) {
    total.rows += rows;
    total.hash = BigInt.asUintN(64, total.hash + hash);
  }
  return total;
}

export const equal = (one: Sum | undefined, other: Sum | undefined) =>
  one?.rows === other?.rows && one?.hash === other?.hash;

/** Undefined: the parts are equal. Else what differs, with at most `maxKeys` keys. */
export async function findDifference(
  work: TableWork,
  readers: ReaderPair,
  parts: readonly ComparedSums[],
  maxKeys: number,
): Promise<TableDifference | undefined> {
  const unequal = parts.filter(({ source, target }) => !equal(source, target));
  if (unequal.length === 0) return undefined;
  const rows = (side: "source" | "target") => parts.reduce((sum, part) => sum + part[side].rows, 0);
  const found = {
    source: work.source.label,
    target: work.target.label,
    rows: { source: rows("source"), target: rows("target") },
  };
  if (maxKeys === 0) return { ...found, keys: [] };
  const search: Search = { work, readers, maxKeys, keys: [], differing: 0, looked: 0, complete: true, only: [0, 0] };
  for (const part of unequal) await searchPart(search, part);
  if (work.key.length === 0) search.keys.push(...nameless(search));
  return {
    ...found,
    keys: search.keys,
    ...(search.complete ? { differing: search.differing } : {}),
  };
}

interface Search {
  work: TableWork;
  readers: ReaderPair;
  maxKeys: number;
  keys: TableDifference["keys"];
  differing: number;
  looked: number;
  /** All rows of unequal parts were looked at. */
  complete: boolean;
  /** Without a key: rows that only the source has, and only the target. */
  only: [source: number, target: number];
}

const enough = ({ keys, maxKeys, looked, work, only }: Search) =>
  looked > countedRows && (work.key.length === 0 ? only[0] + only[1] > 0 : keys.length >= maxKeys);

async function searchPart(search: Search, { part, source, target, shares: known }: ComparedSums): Promise<void> {
  if (enough(search)) {
    search.complete = false;
    return;
  }
  const rows = Math.max(source.rows, target.rows);
  if (rows <= heldRows && known === undefined) return searchRows(search, part, undefined, rows);
  const { work, readers } = search;
  const found = known ?? (await findShares(work, readers, part, Math.min(4096, Math.ceil(rows / (heldRows / 10)))));
  const { n, source: ours, target: theirs } = found;
  const shares = [...new Set([...ours.keys(), ...theirs.keys()])].filter(
    (share) => !equal(ours.get(share), theirs.get(share)),
  );
  const size = (share: number) => Math.max(ours.get(share)?.rows ?? 0, theirs.get(share)?.rows ?? 0);
  for (let at = 0; at < shares.length; ) {
    if (enough(search)) {
      search.complete = false;
      return;
    }
    const some: number[] = [];
    let sum = 0;
    for (; at < shares.length && (some.length === 0 || sum + size(shares[at] as number) <= heldRows); at++) {
      some.push(shares[at] as number);
      sum += size(shares[at] as number);
    }
    await searchRows(search, part, { n, of: some }, sum);
  }
}

/** Holds the source's rows by key and takes away those that the target has alike. */
async function searchRows(
  search: Search,
  part: ComparedPart,
  shares: { n: number; of: readonly number[] } | undefined,
  rows: number,
): Promise<void> {
  const { work, readers } = search;
  search.looked += rows;
  const held = new Map<string, string | number>();
  const keyed = work.key.length > 0;
  await work.source.half.rows(readers.source, part.source ?? {}, shares, (key, hash) => {
    if (keyed) held.set(key, hash);
    else held.set(hash, ((held.get(hash) as number | undefined) ?? 0) + 1);
  });
  const say = (key: string, what: TableDifference["keys"][number]["what"]) => {
    search.differing++;
    if (search.keys.length < search.maxKeys) search.keys.push({ key: named(work.key, key), what });
  };
  await work.target.half.rows(readers.target, part.target ?? {}, shares, (key, hash) => {
    if (!keyed) {
      const left = held.get(hash) as number | undefined;
      if (left === undefined) search.only[1]++;
      else if (left === 1) held.delete(hash);
      else held.set(hash, left - 1);
      return;
    }
    const found = held.get(key);
    held.delete(key);
    if (found === undefined) say(key, "extra");
    else if (found !== hash) say(key, "different");
  });
  if (keyed) for (const key of held.keys()) say(key, "missing");
  else for (const left of held.values()) search.only[0] += left as number;
  if (!keyed) search.differing = Math.max(search.only[0], search.only[1]);
}

/** Rows without a key are only counted: their values are not to be told. */
function nameless({ only: [missing, extra] }: Search): TableDifference["keys"] {
  const words = (rows: number, where: string) =>
    `${rows} ${rows === 1 ? "row" : "rows"} without a key, only in the ${where}`;
  return [
    ...(missing > 0 ? [{ key: words(missing, "source"), what: "missing" as const }] : []),
    ...(extra > 0 ? [{ key: words(extra, "target"), what: "extra" as const }] : []),
  ];
}

const longestKey = 200;

/** `["5","a"]` → `{"id":"5","name":"a"}`. */
function named(columns: readonly string[], key: string): string {
  const values = JSON.parse(key) as (string | null)[];
  const cut = (value: string | null) =>
    value !== null && value.length > longestKey ? `${value.slice(0, longestKey)}…` : value;
  return JSON.stringify(Object.fromEntries(columns.map((column, index) => [column, cut(values[index] ?? null)])));
}

/** Both to their end, so that no statement is left running when the other fails. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}
