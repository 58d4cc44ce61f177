import { stripVTControlCharacters } from "node:util";

const begin = /^⎯+ (?:Failed Suites|Failed Tests|Unhandled Errors?)\b/m;

/**
 * What vitest's default reporter says of the failures at the end of its output, at most `lines` of it; empty if nothing
 * failed. The JSON report does not have it all: what a hook inside `describe` failed with stands here alone.
 */
export function failures(output: string, lines: number): string {
  const plain = stripVTControlCharacters(output);
  const at = begin.exec(plain)?.index;
  return at === undefined ? "" : plain.slice(at).split("\n").slice(0, lines).join("\n");
}
