import { seeded } from "../../../dev/demo/shop.ts";

/** Choices that are the same on every machine for the same seed. */
export interface Choose {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  /** A whole number of a range, both ends included. */
  between(least: number, most: number): number;
  of<Item>(list: readonly Item[]): Item;
  /** True with this probability. */
  sometimes(share: number): boolean;
  /** `YYYY-MM-DD` in the years 2023 to 2025. */
  day(): string;
  bytes(length: number): Uint8Array;
}

export function chooseBy(seed: number): Choose {
  const random = seeded(seed);
  const below = (count: number) => Math.floor(random() * count);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    of: <Item>(list: readonly Item[]) => list[below(list.length)] as Item,
    sometimes: (share) => random() < share,
    day: () => dayAfter("2023-01-01", below(1000)),
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
  };
}

const dayMs = 86_400_000;

/** `YYYY-MM-DD`, so many days later. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** Two digits. */
export const two = (number: number): string => String(number).padStart(2, "0");

/** A price as text, so that no value passes through a double. */
export const money = (cents: number): string => `${Math.floor(cents / 100)}.${two(cents % 100)}`;
