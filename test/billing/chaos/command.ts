import { throwIfAny } from "../../../dev/terminal/failure.ts";
import type { Terminal } from "../../../dev/terminal/index.ts";
import { play } from "./play.ts";

/** `npm run chaos -- billing [--seed N] [--histories N]`: 500 random histories of accounts that pay, delete and retry while processes die. */
export async function billingChaos(
  terminal: Terminal,
  signal: AbortSignal,
  chosen: { seed: number; histories: number },
): Promise<number> {
  terminal.line(`seed ${chosen.seed}, ${chosen.histories} histories`);
  const { histories, tally, done, failures } = await play(chosen, (line) => {
    signal.throwIfAborted();
    terminal.line(line);
  });
  const counted = Object.entries({ ...done, ...tally }).map(([kind, times]) => `${times} ${kind}`);
  console.log(`seed ${chosen.seed}: ${histories} histories, ${failures.length} violations; ${counted.join(", ")}`);
  throwIfAny(failures, `Run \`npm run chaos -- billing --seed ${chosen.seed}\` to repeat it.`);
  return 0;
}
