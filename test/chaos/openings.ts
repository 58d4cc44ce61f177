import { throwIfAny } from "../../dev/terminal/failure.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { cases, type Opened, playOpenings } from "../support/engine/openings.ts";

/** `npm run chaos -- openings [--openings N]`: snapshots by several connections under a writer, of which none may be torn. */
export async function openingsChaos(terminal: Terminal, signal: AbortSignal, openings: number): Promise<number> {
  const failures: string[] = [];
  for (const [name, opening] of Object.entries(cases)) {
    signal.throwIfAborted();
    const before = performance.now();
    const opened = await playOpenings(opening, openings);
    const seconds = Math.round((performance.now() - before) / 1000);
    const line = `${name}: ${wordsOf(opened)}, ${seconds} s`;
    terminal.line(line);
    if (opened.torn > 0) failures.push(line);
  }
  console.log(`${Object.keys(cases).length * openings} openings, ${failures.length} kinds with torn ones`);
  throwIfAny(failures, "Run `npm run chaos -- openings` to repeat it.");
  return 0;
}

function wordsOf({ openings, torn, connections, written, msEach }: Opened): string {
  const by = Object.entries(connections).map(([number, times]) => `${times} by ${number}`);
  return `${openings} openings (${by.join(", ")} connections), ${torn} torn, ${msEach} ms each, ${written} transactions written`;
}
