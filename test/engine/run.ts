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
