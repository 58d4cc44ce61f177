import type { LogEntry } from "./migration.ts";

/**
 * Entries of the status log have two writers (controller and worker), each with ids of its own, and sort by id.
 * An id is run, time and writer: `0002-0mfx3k2a1-w03`. The run comes first, since clocks of nodes differ by a
 * little; then milliseconds in base 36, nine digits (until the year 5188); then `c` or `w` and a count within the millisecond.
 */
type LogWriter = "c" | "w";

export function logId(run: number, time: Date, writer: LogWriter, count: number): string {
  const milliseconds = Math.max(0, time.getTime()).toString(36).padStart(9, "0");
  return `${String(run).padStart(4, "0")}-${milliseconds}-${writer}${String(count).padStart(2, "0")}`;
}

/** Gives the entries of one writer and run their ids: the same entries get the same ids again. */
export function withIds(run: number, writer: LogWriter, entries: readonly Omit<LogEntry, "id">[]): LogEntry[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const count = counts.get(entry.time) ?? 0;
    counts.set(entry.time, count + 1);
    return { id: logId(run, new Date(entry.time), writer, count), ...entry };
  });
}

export const writerOf = (entry: Pick<LogEntry, "id">): LogWriter =>
  entry.id.split("-")[2]?.startsWith("c") ? "c" : "w";

/** The last `most` entries of both lists by id; of two with the same id the later list's. */
export function lastEntries(before: readonly LogEntry[], more: readonly LogEntry[], most: number): LogEntry[] {
  const byId = new Map([...before, ...more].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(-most);
}
