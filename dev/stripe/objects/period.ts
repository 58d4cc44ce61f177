import type { Price } from "../state/types.ts";

const daySeconds = 86_400;

/** The end of a price's period that begins at `start` (Unix seconds, UTC). A month's last days end on its last day. */
export const after = (start: number, { recurring }: Pick<Price, "recurring">): number => {
  const { interval, interval_count: count } = recurring ?? { interval: "month", interval_count: 1 };
  if (interval === "day") return start + count * daySeconds;
  if (interval === "week") return start + 7 * count * daySeconds;
  const date = new Date(start * 1000);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + (interval === "year" ? 12 : 1) * count);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return Math.floor(date.getTime() / 1000);
};
