import type { CommandOutput } from "../io.ts";

/** Colours for a terminal. Text is cleaned before it is coloured: nothing from a database may bring escapes of its own. */

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Colours = Readonly<Record<keyof typeof codes, (text: string) => string>>;

const names = Object.keys(codes) as (keyof typeof codes)[];
const coloursOf = (paint: (text: string, name: keyof typeof codes) => string) =>
  Object.fromEntries(names.map((name) => [name, (text: string) => paint(text, name)])) as unknown as Colours;

export const noColours = coloursOf((text) => text);
const painted = coloursOf((text, name) =>
  text === "" ? "" : `\u001b[${codes[name][0]}m${text}\u001b[${codes[name][1]}m`,
);

/** Colours for a terminal that has them and whose user did not set NO_COLOR (https://no-color.org); none for a pipe or a file. */
export const coloursFor = (
  { isTTY }: Pick<CommandOutput, "isTTY">,
  { NO_COLOR = "", TERM }: Readonly<Record<string, string | undefined>>,
): Colours => (isTTY === true && NO_COLOR === "" && TERM !== "dumb" ? painted : noColours);
