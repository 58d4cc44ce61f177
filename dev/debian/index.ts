// Everything that installs Debian packages: one `apt-get update` and one `apt-get install` for all that is missing.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { lock } from "../lock.mjs";
import { failure } from "../terminal/failure.ts";
import type { Step, Terminal } from "../terminal/index.ts";
import { type AptOptions, aptGet } from "./apt.ts";
import { missingPackages, type Purpose } from "./packages.ts";

export type { Purpose } from "./packages.ts";

/** The folders of a root shell; PATH of an ordinary one lacks the last two. */
const programFolders = (): string[] => [
  ...(process.env["PATH"] ?? "").split(delimiter),
  ...["/usr/bin", "/bin", "/usr/sbin", "/sbin"],
];

const exists = (proof: string): boolean =>
  proof.startsWith("/") ? existsSync(proof) : programFolders().some((folder) => existsSync(join(folder, proof)));

/** How a step uses apt: its output in the log, and a line for the reader while another process holds apt's lock. */
export const aptOptions = (terminal: Terminal, step: Step, signal?: AbortSignal): AptOptions => ({
  log: step.log,
  waiting: (holder) => terminal.line(`  Waiting for another program that uses apt: ${holder}`),
  signal,
});

/**
 * Installs what is missing for these purposes. Commands call it with all their purposes before anything else starts;
 * later calls for one of them find nothing to do. Safe beside other processes that do the same.
 */
export const needPackages = async (
  wanted: readonly Purpose[],
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<void> => {
  const missing = () => missingPackages(wanted, exists);
  if (missing().length === 0) return;
  const release = await lock("rowferry: Debian packages", {
    onWait: () => terminal.line("  Waiting for another command that installs Debian packages"),
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const names = missing();
    if (names.length === 0) return;
    if (process.getuid?.() !== 0 || !exists("apt-get")) {
      const next = `Install ${names.join(", ")} with your package manager, or run the command as root on Debian or Ubuntu.`;
      throw failure(`Missing on this machine: ${names.join(", ")}`, next);
    }
    await terminal.step("Install Debian packages", async (step) => {
      step.note(names.join(", "));
      const options = aptOptions(terminal, step, signal);
      // A broken source that none of these packages come from is no reason to stop.
      const outdated: unknown = await aptGet(["update"], options).catch((error: unknown) => error);
      signal?.throwIfAborted();
      await aptGet(["install", "--yes", "--no-install-recommends", ...names], options).catch((error: Error) => {
        if (outdated !== undefined) error.cause ??= outdated;
        throw error;
      });
    });
  } finally {
    await release();
  }
};
