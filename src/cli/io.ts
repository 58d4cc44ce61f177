import type { Redactor } from "../guard/redact.ts";

/** What a command reads from and writes to; tests give it streams of their own. */

export interface Output {
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
  stdout: Output;
  stderr: Output;
  now(): Date;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  version: string;
}

/** What every command has. */
export interface Context {
  io: Io;
  redactor: Redactor;
  /** Aborts with Interrupted at the first Ctrl-C. */
  signal: AbortSignal;
}

/** What a terminal would obey or a reader would not see, also outside of ASCII, as an escape of JSON's. */
const unseen = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** JSON that is safe to be shown in a terminal. Sentences in it were cleaned of secrets; names are data and stay. */
export const jsonText = (value: unknown, indent?: number): string =>
  `${JSON.stringify(value, null, indent).replace(unseen, escaped)}\n`;

/** Words for a terminal: nothing that it would obey; line ends stay. */
export const plainText = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/[\u0000-\u001f]/g, escaped).replace(unseen, escaped))
    .join("\n");

/** Resolves once the text is written. Errors: the stream's. */
export const printed = (stream: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
