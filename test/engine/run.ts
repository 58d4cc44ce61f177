import { type Assessment, assess } from "../../src/engine/assess.ts";
import type { Copied, CopyReport, CopyRequest } from "../../src/engine/contract.ts";
import { copy } from "../../src/engine/index.ts";

/** A copy as the tests run it, and what it said. */
export interface Ran {
  report: CopyReport;
  logs: string[];
  copied: Copied;
}

export async function run(
  { source, target }: Pick<CopyRequest, "source" | "target">,
  more: Partial<CopyRequest> = {},
  signal = new AbortController().signal,
): Promise<Ran> {
  const logs: string[] = [];
  const copied = await copy(
    { owner: "owner-1", ownerName: "the test", source, target, options: { jobs: 2 }, reset: false, ...more },
    {
      signal,
      progress: () => undefined,
      measured: () => undefined,
      log: (level, message) => logs.push(`${level}: ${message}`),
    },
  );
  return { report: copied.report, logs, copied };
}

export const assessed = ({ source, target }: Pick<CopyRequest, "source" | "target">): Promise<Assessment> =>
  assess({ source, target, options: { jobs: 2 } }, { signal: new AbortController().signal, log: () => undefined });

/** Of objects that were assessed or copied, to be compared. */
export const outcomes = (list: readonly { kind: string; name: string; outcome: string }[]): string[] =>
  list.map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`).sort();
