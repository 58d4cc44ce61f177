import type { Redactor } from "../guard/redact.ts";
import { cut } from "../guard/text.ts";
import type { Report } from "./protocol.ts";

export type Milestone = Report["log"][number];

/**
 * The run's milestones. Each is cleaned of secrets and cut when it is written, goes to the pod's own log at once, and is
 * kept for the reports: the last ones for the status, all within bounds for the archive.
 */
export interface Journal {
  write(level: Milestone["level"], message: string): void;
  /** The last 40, oldest first. */
  recent(): Milestone[];
  /** From the beginning, oldest first; where it grew beyond the bounds the middle is left out, and an entry says so. */
  all(): Milestone[];
}

const recentEntries = 40;
const longestMessage = 1024;
/** The archive keeps so many of the first and of the last entries. */
const keptEntries = 2_000;

export function createJournal(
  redactor: Redactor,
  print: (level: Milestone["level"], message: string) => void,
  now: () => Date,
): Journal {
  const first: Milestone[] = [];
  let last: Milestone[] = [];
  let written = 0;
  return {
    write(level, message) {
      const cleaned = cut(redactor.clean(message), longestMessage);
      const entry = { time: now().toISOString(), level, message: cleaned };
      print(level, cleaned);
      written += 1;
      if (first.length < keptEntries) first.push(entry);
      else last.push(entry);
      if (last.length > 2 * keptEntries) last = last.slice(-keptEntries);
    },
    recent: () => [...first, ...last].slice(-recentEntries),
    all() {
      const tail = last.slice(-keptEntries);
      const lost = written - first.length - tail.length;
      if (lost === 0 || tail[0] === undefined) return [...first, ...tail];
      const gap = {
        time: tail[0].time,
        level: "warning" as const,
        message: `${lost} entries of the log are omitted here`,
      };
      return [...first, gap, ...tail];
    },
  };
}
