import { clean } from "../guard/text.ts";
import { Interrupted, UsageError } from "./exit.ts";
import { type Io, plainText } from "./io.ts";

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

export const canAsk = ({ stdin, stderr }: Pick<Io, "stdin" | "stderr">): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

const mostShown = 40;

/** The first objects of a list on stderr, between a line before and those after. */
export function showObjects(
  before: string,
  objects: readonly string[],
  after: readonly string[],
  { stderr }: Pick<Io, "stderr">,
): void {
  const lines = objects.slice(0, mostShown).map((object) => `  ${clean(object, 200)}`);
  const more = objects.length > mostShown ? [`  and ${objects.length - mostShown} more`] : [];
  stderr.write(`${plainText([before, ...lines, ...more, ...after].join("\n"))}\n`);
}

/** Whether a person answers yes. Errors: UsageError `refusal` where nobody can be asked. */
export async function confirmed(question: string, refusal: string, io: Io): Promise<boolean> {
  if (!canAsk(io)) throw new UsageError(refusal);
  return /^y(es)?$/i.test(await ask(`${question} (yes/no) `, io));
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
