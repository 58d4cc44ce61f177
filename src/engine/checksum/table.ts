import type { TableDifference } from "../contract.ts";
import type { Sum } from "./dialect.ts";
import type { Half, Range } from "./half.ts";
import type { Reader } from "./side.ts";

/** Compares one table part by part, and looks into the parts that differ until it has rows. */

export interface TableWork {
  source: { half: Half; label: string };
  target: { half: Half; label: string };
  /** Names of the key's columns in the source; none: rows have no name. */
  key: readonly string[];
  /** An estimate. */
  rows: number;
  ranged: boolean;
  /** There are cheaper forms, and none of its parts has been found to need others. */
  swift: boolean;
}

/** A session on each side. */
export interface Pair {
  source: Reader;
  target: Reader;
}

export interface PartResult {
  range: Range;
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

/** What one statement adds up; also what a difference is looked for in. */
const partRows = 500_000;
const mostParts = 64;
/** Rows whose keys and hashes are held here at a time. */
const heldRows = 20_000;
/** Rows that are looked at one by one in a table, at most, once enough keys are known. */
const countedRows = 200_000;

/** Ranges of the key that together are the whole table, whatever it holds. */
export async function partsOf({ source, rows, ranged }: TableWork, reader: Reader): Promise<Range[]> {
  const wanted = Math.min(mostParts, Math.ceil(rows / partRows));
  if (!ranged || wanted < 2) return [{}];
  const ends = await source.half.ends(reader);
  if (ends === undefined) return [{}];
  const { low, high } = ends;
  const bounds = Array.from(
    { length: wanted - 1 },
    (_, index) => low + ((high - low) * BigInt(index + 1)) / BigInt(wanted),
  );
  const inner = bounds.filter((bound, index) => index === 0 || bound !== bounds[index - 1]);
  return [...inner, undefined].map((upTo, index) => ({ above: index === 0 ? undefined : inner[index - 1], upTo }));
}

export async function comparePart(work: TableWork, readers: Pair, range: Range): Promise<PartResult> {
  const { source, target } = work;
  if (work.swift) {
    const [one, other] = await both(
      source.half.total(readers.source, range, true),
      target.half.total(readers.target, range, true),
    );
    if (equal(one, other)) return { range, source: one, target: other };
    work.swift = false;
  }
  if (source.half.streamed) {
    const shares = await findShares({ source, target }, readers, range, streamedShares);
    return { range, source: addedUp(shares.source), target: addedUp(shares.target), shares };
  }
  const [one, other] = await both(
    source.half.total(readers.source, range, false),
    target.half.total(readers.target, range, false),
  );
  return { range, source: one, target: other };
}

/** Of rows that are read here: to add up their shares costs nothing more, and saves reading all again. */
const streamedShares = 1024;

async function findShares(
  { source, target }: Pick<TableWork, "source" | "target">,
  readers: Pair,
  range: Range,
  n: number,
): Promise<Found> {
  const [ours, theirs] = await both(
    source.half.buckets(readers.source, range, n),
    target.half.buckets(readers.target, range, n),
  );
  return { n, source: ours, target: theirs };
}

function addedUp(shares: Map<number, Sum>): Sum {
  const total: Sum = { rows: 0, hash: 0n };
  for (const { rows, hash } of shares.values()) {
    total.rows += rows;
    total.hash = BigInt.asUintN(64, total.hash + hash);
  }
  return total;
}

const equal = (one: Sum | undefined, other: Sum | undefined) => one?.rows === other?.rows && one?.hash === other?.hash;

/** Undefined: the parts are equal. Else what differs, with at most `maxKeys` keys. */
export async function findDifference(
  work: TableWork,
  readers: Pair,
  parts: readonly PartResult[],
  maxKeys: number,
): Promise<TableDifference | undefined> {
  const unequal = parts.filter(({ source, target }) => !equal(source, target));
  if (unequal.length === 0) return undefined;
  const search: Search = { work, readers, maxKeys, keys: [], differing: 0, looked: 0, complete: true, only: [0, 0] };
  for (const part of unequal) await searchPart(search, part);
  const rows = (side: "source" | "target") => parts.reduce((sum, part) => sum + part[side].rows, 0);
  if (work.key.length === 0) search.keys.push(...nameless(search));
  return {
    source: work.source.label,
    target: work.target.label,
    rows: { source: rows("source"), target: rows("target") },
    keys: search.keys,
    ...(search.complete ? { differing: search.differing } : {}),
  };
}

interface Search {
  work: TableWork;
  readers: Pair;
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

async function searchPart(search: Search, { range, source, target, shares: known }: PartResult): Promise<void> {
  if (enough(search)) {
    search.complete = false;
    return;
  }
  const rows = Math.max(source.rows, target.rows);
  if (rows <= heldRows && known === undefined) return searchRows(search, range, undefined, rows);
  const { work, readers } = search;
  const found = known ?? (await findShares(work, readers, range, Math.min(4096, Math.ceil(rows / (heldRows / 10)))));
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
    await searchRows(search, range, { n, of: some }, sum);
  }
}

/** Holds the source's rows by key and takes away those that the target has alike. */
async function searchRows(
  search: Search,
  range: Range,
  shares: { n: number; of: readonly number[] } | undefined,
  rows: number,
): Promise<void> {
  const { work, readers } = search;
  search.looked += rows;
  const held = new Map<string, string | number>();
  const keyed = work.key.length > 0;
  await work.source.half.rows(readers.source, range, shares, (key, hash) => {
    if (keyed) held.set(key, hash);
    else held.set(hash, ((held.get(hash) as number | undefined) ?? 0) + 1);
  });
  const say = (key: string, what: TableDifference["keys"][number]["what"]) => {
    search.differing++;
    if (search.keys.length < search.maxKeys) search.keys.push({ key: named(work.key, key), what });
  };
  await work.target.half.rows(readers.target, range, shares, (key, hash) => {
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
