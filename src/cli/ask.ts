import { Interrupted } from "./exit.ts";
import type { Io } from "./io.ts";

/** Asks at the terminal and answers the line that is typed. Hidden, nothing of it is shown. Errors: Interrupted at Ctrl-C. */
export async function ask(
  words: string,
  { stdin, stderr }: Pick<Io, "stdin" | "stderr">,
  { hidden = false }: { hidden?: boolean } = {},
): Promise<string> {
  // Before the words: whoever answers at once, as a script does, would see it echoed.
  stdin.setRawMode?.(true);
  stderr.write(words);
  stdin.resume();
  const decoder = new TextDecoder();
  let typed: string[] = [];
  let stop = () => {};
  try {
    return await new Promise<string>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        for (const key of decoder.decode(chunk, { stream: true })) {
          if (ends.has(key)) return resolve(typed.join(""));
          if (key === interrupt) return reject(new Interrupted("SIGINT"));
          const next = edited(typed, key);
          if (!hidden)
            stderr.write("\b \b".repeat(Math.max(typed.length - next.length, 0)) + next.slice(typed.length).join(""));
          typed = next;
        }
      };
      stop = () => stdin.off("data", hear);
      stdin.on("data", hear);
    });
  } finally {
    stop();
    stdin.setRawMode?.(false);
    stdin.pause();
    stderr.write("\n");
  }
}

/** Enter, and Ctrl-D. */
const ends = new Set(["\r", "\n", "\u0004"]);
const interrupt = "\u0003";
const backspaces = new Set(["\u007f", "\b"]);
const clearLine = "\u0015";

function edited(typed: string[], key: string): string[] {
  if (backspaces.has(key)) return typed.slice(0, -1);
  if (key === clearLine) return [];
  return key >= " " ? [...typed, key] : typed;
}
