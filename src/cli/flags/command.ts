import type { Flag } from "./index.ts";

export type CommandName = "copy" | "assess" | "verify" | "reset" | "backup" | "restore";

export interface Command {
  name: CommandName;
  words: readonly string[];
  /** What the words are, for an error; by default URLs. */
  takes?: string;
  summary: string;
  about: string;
  /** The copy's options that this command has. */
  options: readonly string[];
  /** Help of options, where the copy's own words do not fit. */
  otherHelp?: Readonly<Record<string, string>>;
  /** What became of the work once Ctrl-C has stopped it. */
  stopped?: string;
  /** Flags beside these. */
  more: readonly Flag[];
  examples: readonly (readonly [what: string, line: string])[];
}
