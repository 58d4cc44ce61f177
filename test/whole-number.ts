import { failure } from "../dev/terminal/failure.ts";

/** The number that an option or a variable of the tests was given. Errors: that it is none, and how it is given. */
export function wholeNumber(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const example = name.startsWith("--") ? `${name} 7` : `${name}=7`;
  throw failure(`${name} must be a whole number. It is "${text}".`, `Use for example \`${example}\`.`);
}
