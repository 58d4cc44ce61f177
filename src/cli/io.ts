import { escapeUnseen } from "../engine/contract/text/printable.ts";
import type { Redactor } from "../guard/redact.ts";

/** What a command reads from and writes to; tests give it streams of their own. */

export interface CommandOutput {
  /** `done` hears when it is written, or why it could not be. */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  isTTY?: boolean;
  columns?: number;
}

export interface Input {
  isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
  on(event: "data", hear: (chunk: Buffer) => void): unknown;
  off(event: "data", hear: (chunk: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface Io {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Input;
  stdout: CommandOutput;
  stderr: CommandOutput;
  now(): Date;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  /** Calls again and again, so many milliseconds apart, without keeping the process alive; the answer stops it. */
  repeat(everyMs: number, call: () => void): () => void;
  version: string;
}

export interface CommandContext {
  io: Io;
  redactor: Redactor;
  /** Aborts with Interrupted at the first Ctrl-C. */
  signal: AbortSignal;
}

/** What a command answers when it went well, or found differences. */
export interface CommandResult {
  /** For `--json`, beside `outcome` and `command`. */
  body: object;
  /** For a person, on stdout. */
  text: string;
  /** `done`, where it is left out, and 0. */
  outcome?: string;
  exitCode?: number;
  /** What may only be done once the answer is written. */
  finish?: () => Promise<void>;
}

/** JSON that is safe to be shown in a terminal. Sentences in it were cleaned of secrets; names are data and stay. */
export const jsonText = (value: unknown, indent?: number): string =>
  `${escapeUnseen(JSON.stringify(value, null, indent))}\n`;

/** Words for a terminal: nothing that it would obey; line ends stay. */
export const plainText = (text: string): string => escapeUnseen(text).replaceAll("\t", "\\u0009");

/** Resolves once the text is written. Errors: the stream's. */
export const printed = (stream: CommandOutput, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
