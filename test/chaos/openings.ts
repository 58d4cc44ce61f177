import { failure, throwIfAny } from "../../dev/terminal/failure.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { cases, type Opened, playOpenings } from "../support/engine/openings.ts";

/** Openings of a kind after which a line tells how far it is; the first is told too. */
const sayEvery = 250;

/** `npm run chaos -- openings [--openings N] [--kind NAME]`: snapshots by several connections under a writer, of which none may be torn. */
export async function openingsChaos(
  terminal: Terminal,
  signal: AbortSignal,
  { openings, only }: { openings: number; only?: string | undefined },
): Promise<number> {
  const chosen = Object.entries(cases).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0)
    throw failure(`There is no kind "${only}".`, `Name one of: ${Object.keys(cases).join("; ")}.`);
  const failures: string[] = [];
  for (const [name, opening] of chosen) {
    signal.throwIfAborted();
    const before = performance.now();
    const seconds = () => `${Math.round((performance.now() - before) / 1000)} s`;
    const each = ({ openings: done, torn }: Opened) => {
      if (done === 1 || done % sayEvery === 0)
        terminal.line(`… ${name}: ${done} of ${openings} openings, ${torn} torn, ${seconds()}`);
    };
    const opened = await playOpenings(opening, openings, { signal, each });
    const line = `${name}: ${wordsOf(opened)}, ${seconds()}`;
    terminal.line(line);
    if (opened.torn > 0) failures.push(line);
  }
  console.log(`${chosen.length * openings} openings, ${failures.length} kinds with torn ones`);
  throwIfAny(failures, "Run `npm run chaos -- openings` to repeat it.");
  return 0;
}

function wordsOf({ openings, torn, connections, written, longestWrite, msEach }: Opened): string {
  const by = Object.entries(connections).map(([number, times]) => `${times} by ${number}`);
  return `${openings} openings (${by.join(", ")} connections), ${torn} torn, ${msEach} ms each, ${written} transactions written in ${longestWrite} ms at most`;
}
