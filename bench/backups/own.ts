// A backup or a restore by Rowferry, in a process of its own.
import type { Program } from "../../dev/program.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { runChild } from "../child.ts";
import { limitMs } from "../peers.ts";
import { createMemoryWatch } from "../tables/memory.ts";
import type { Taken } from "./peers.ts";
import type { Asked, Said } from "./program.ts";

export type Tools = { program: Program; pgBin: string; terminal: Terminal; signal: AbortSignal };

/** Errors: its own, in its words. */
export const runOwn = async (
  asked: Asked,
  { program, pgBin, terminal, signal }: Tools,
): Promise<Taken & { phases: Record<string, number> }> => {
  const { watch, peakMib } = createMemoryWatch();
  const options = {
    input: JSON.stringify(asked),
    env: { PATH: process.env["PATH"], ROWFERRY_PG_BIN: pgBin },
    ...{ log: terminal.log, signal, timeoutMs: limitMs },
  };
  const { output: answer, ms } = await runChild(process.execPath, [program.path], options, watch);
  const said = JSON.parse(answer || '{"ok":false,"message":"it ended without a word"}') as Said;
  if (!said.ok) throw new Error(`Rowferry: ${said.message}`);
  return { ms, peakMib: peakMib(), phases: said.seconds };
};
