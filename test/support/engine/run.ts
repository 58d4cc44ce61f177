import { expect } from "vitest";
import { type Assessment, assess } from "../../../src/engine/assess/index.ts";
import type {
  Copied,
  CopyOptions,
  CopyReport,
  CopyRequest,
  EngineProgress,
} from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";

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

/** Copies until `enough`, and stops there. */
export async function interrupted(
  { source, target }: Pick<CopyRequest, "source" | "target">,
  enough: (progress: EngineProgress) => boolean,
  options: Partial<CopyOptions> = {},
): Promise<void> {
  const stop = new AbortController();
  const running = copy(
    { owner: "owner-1", ownerName: "the test", source, target, options: { jobs: 2, ...options }, reset: false },
    {
      signal: stop.signal,
      measured: () => undefined,
      log: () => undefined,
      progress: (progress) => {
        if (enough(progress)) stop.abort(new Error("enough"));
      },
    },
  );
  await expect(running).rejects.toThrow("enough");
}

export const assessed = (
  { source, target }: Pick<CopyRequest, "source" | "target">,
  { options = {} }: { options?: Partial<CopyRequest["options"]> } = {},
): Promise<Assessment> =>
  assess(
    { source, target, options: { jobs: 2, ...options } },
    { signal: new AbortController().signal, log: () => undefined },
  );

/** Of objects that were assessed or copied, to be compared. */
export const outcomes = (list: readonly { kind: string; name: string; outcome: string }[]): string[] =>
  list.map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`).sort();
