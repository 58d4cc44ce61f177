import { inspect } from "node:util";
import type { CommandOutput } from "../io.ts";

/** Colours for a terminal. Text is cleaned before it is coloured: nothing from a database may bring escapes of its own. */

const names = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

export type Colours = Readonly<Record<(typeof names)[number], (text: string) => string>>;

const coloursOf = (paint: (text: string, codes: [number, number] | undefined) => string) =>
  Object.fromEntries(
    names.map((name) => [name, (text: string) => paint(text, inspect.colors[name])]),
  ) as unknown as Colours;

export const noColours = coloursOf((text) => text);
const painted = coloursOf((text, [on, off] = [0, 0]) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`));

/** Colours for a terminal that has them and whose user did not set NO_COLOR (https://no-color.org); none for a pipe or a file. */
export const coloursFor = (
  { isTTY }: Pick<CommandOutput, "isTTY">,
  { NO_COLOR = "", TERM }: Readonly<Record<string, string | undefined>>,
): Colours => (isTTY === true && NO_COLOR === "" && TERM !== "dumb" ? painted : noColours);
