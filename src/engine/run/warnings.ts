import { printable } from "../contract/text/printable.ts";

/** Warnings for the report, each once; the log hears of it at once. */
export interface Warnings {
  said: ReadonlySet<string>;
  warn(words: string): void;
}

export function createWarnings(hooks: { log(level: "warning", message: string): void }): Warnings {
  const said = new Set<string>();
  return {
    said,
    warn(words) {
      const shown = printable(words);
      if (said.has(shown)) return;
      said.add(shown);
      hooks.log("warning", shown);
    },
  };
}
