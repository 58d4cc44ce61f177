import { readFileSync } from "node:fs";
import type { ParseArgsConfig } from "node:util";
import type * as z from "zod";
import type { CopyOptions } from "../../engine/contract/index.ts";
import { type Options, optionsSchema } from "../../resources/options.ts";
import { present } from "../../resources/present.ts";
import { fileMessage, UsageError } from "../exit.ts";

/** The copy's options as flags, one for each key of the Migration's `spec.options`, with - for _. */

type Key = keyof Options;
type Kind = "text" | "number" | "bytes" | "list" | "map" | "file" | "switch";

export interface Flag {
  /** Without the two hyphens. */
  name: string;
  /** One letter for the same, without its hyphen. */
  short?: string;
  kind: Kind;
  /** What stands for its value in the help. */
  value: string;
  help: string;
}

export const text = (name: string, value: string, help: string): Flag => ({ name, kind: "text", value, help });
/** It may be given several times. */
export const list = (name: string, value: string, help: string): Flag => ({ name, kind: "list", value, help });
export const on = (name: string, help: string): Flag => ({ name, kind: "switch", value: "", help });

/** Words for the help's left side, where the kind alone says too little. */
const values: Partial<Record<Key, string>> = {
  include: "PATTERN",
  exclude: "PATTERN",
  drop: "TABLE",
  schemas: "FROM=TO",
  types: "COLUMN=TYPE",
  bandwidth: "BYTES",
  zero_dates: "null|fail|DATE",
  statement_timeout: "SECONDS",
  blocking_timeout: "SECONDS",
  stall_timeout: "SECONDS",
};

const shorts: Partial<Record<Key, string>> = { jobs: "j", include: "i", exclude: "x", types: "t", bandwidth: "b" };

const caHelp = (side: string) =>
  `File with the CA (PEM) that signed the ${side}'s certificate, which is then verified in full unless the URL's sslmode says otherwise.`;

/** Where the Migration's words speak of what the command line does not have. */
const otherHelp: Partial<Record<Key, string>> = {
  source_ca: caHelp("source"),
  target_ca: caHelp("target"),
  bandwidth:
    "Read at most this many bytes a second from the source, over all connections: 20000000, 20M, 20MB or 20MiB.",
};

const keys = Object.keys(optionsSchema.shape) as Key[];
export const flagName = (key: string): string => key.replaceAll("_", "-");

interface Seen {
  def: { type: string; innerType?: Seen; defaultValue?: unknown; entries?: Record<string, string> };
  description?: string | undefined;
  minValue?: number;
  maxValue?: number;
}

/** The schema within defaults and optional ones. */
function inner(schema: Seen): Seen {
  return schema.def.innerType === undefined ? schema : inner(schema.def.innerType);
}

/** Options are named as in a Migration (`content: data`); here they are flags. */
const withFlagNames = (words: string): string =>
  words.replace(/`(\w+)(?:: (\w+))?`/g, (all, key: string, value = "") =>
    key in optionsSchema.shape ? `--${flagName(key)}${value === "" ? "" : ` ${value}`}` : all,
  );

function flagOf(key: Key): Flag {
  const schema = optionsSchema.shape[key] as unknown as Seen;
  const { def, description } = inner(schema);
  const kinds: Record<string, Kind> = { array: "list", record: "map", number: "number" };
  const kind = key.endsWith("_ca") ? "file" : key === "bandwidth" ? "bytes" : (kinds[def.type] ?? "text");
  const words = {
    list: "NAME",
    map: "KEY=VALUE",
    number: "N",
    bytes: "BYTES",
    file: "FILE",
    text: "TEXT",
    switch: "",
  } as const;
  const value = values[key] ?? (def.entries ? Object.values(def.entries).join("|") : words[kind]);
  const standard = schema.def.defaultValue;
  const help = withFlagNames(otherHelp[key] ?? schema.description ?? description ?? "");
  const repeat = kind === "list" || kind === "map" ? " May be given several times." : "";
  return {
    ...{ name: flagName(key), kind, value },
    ...present({ short: shorts[key] }),
    help: `${help}${repeat}${standard === undefined ? "" : ` Default: ${String(standard)}.`}`,
  };
}

/** Every option of a copy. */
export const optionFlags: readonly Flag[] = keys.map(flagOf);

/** For parseArgs. */
export const parseable = (flags: readonly Flag[]): NonNullable<ParseArgsConfig["options"]> =>
  Object.fromEntries(
    flags.map(({ name, kind, short }) => {
      const type = kind === "switch" ? "boolean" : "string";
      return [name, { type, multiple: kind === "list" || kind === "map", ...present({ short }) }];
    }),
  );

export interface ReadOptions {
  options: CopyOptions;
  ca: { source: string | undefined; target: string | undefined };
}

/** Errors: UsageError that names the flag and what it takes. */
export function readOptions(given: Readonly<Record<string, unknown>>): ReadOptions {
  const values: Record<string, unknown> = {};
  for (const [at, key] of keys.entries()) {
    const flag = optionFlags[at];
    const value = given[flagName(key)];
    if (flag !== undefined && value !== undefined) values[key] = readValue(flag, value as string | string[]);
  }
  const parsed = optionsSchema.safeParse(values);
  if (!parsed.success) throw new UsageError(wordsOf(parsed.error));
  const { source_ca, target_ca, ...options } = parsed.data;
  return { options, ca: { source: source_ca, target: target_ca } };
}

function readValue({ name, kind, value }: Flag, given: string | string[]): unknown {
  if (Array.isArray(given)) return kind === "map" ? pairsOf(name, value, given) : given;
  switch (kind) {
    case "number":
      return /^\d{1,15}$/.test(given) ? Number(given) : given;
    case "bytes":
      return bytesOf(name, given);
    case "file":
      return readText(name, given);
    default:
      return given;
  }
}

function pairsOf(name: string, form: string, given: readonly string[]): Record<string, string> {
  const pairs: [string, string][] = given.map((text) => {
    const at = text.indexOf("=");
    if (at < 1)
      throw new UsageError(`--${name} takes ${form}, with = between the two names; ${JSON.stringify(text)} has none`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
  if (new Set(pairs.map(([key]) => key)).size < pairs.length)
    throw new UsageError(`--${name} names the same word twice before the =`);
  return Object.fromEntries(pairs);
}

const powers = ["", "k", "m", "g", "t"];

function bytesOf(name: string, text: string): number {
  const [, number = "", unit = "", binary = ""] = /^(\d{1,15}(?:\.\d{1,3})?)([kmgt]?)(i?)b?(?:\/s)?$/i.exec(text) ?? [];
  if (number === "" || (binary !== "" && unit === ""))
    throw new UsageError(`--${name} is a number of bytes such as 20000000, 20M or 20MiB`);
  return Math.round(Number(number) * (binary === "" ? 1000 : 1024) ** powers.indexOf(unit.toLowerCase()));
}

/** A file that a flag names. Errors: UsageError. */
export function readText(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`the file ${path} of --${name} cannot be read: ${fileMessage(error)}`);
  }
}

function wordsOf(error: z.ZodError): string {
  const said = error.issues.map((issue) => {
    const [key = "", ...rest] = issue.path.map(String);
    const flag = optionFlags.find(({ name }) => name === flagName(key));
    const where = rest.length === 0 ? "" : ` (${rest.join(".")})`;
    const takes = takesOf(key as Key, flag) ?? lower(issue.message);
    return `--${flagName(key)}${where}${/^(is|names) /.test(takes) ? "" : ":"} ${takes}`;
  });
  return said.join("; ");
}

/** What a flag takes, where that is short. */
function takesOf(key: Key, flag: Flag | undefined): string | undefined {
  if (flag?.kind === "text" && flag.value.includes("|")) return `is ${choiceOf(flag.value)}`;
  const { minValue, maxValue } = inner(optionsSchema.shape[key] as unknown as Seen);
  return minValue === undefined ? undefined : `is a whole number from ${minValue} to ${maxValue}`;
}

/** `a|b|DATE` → `a, b or a date such as 1970-01-01`. */
function choiceOf(value: string): string {
  const words = value.split("|").map((word) => (word === "DATE" ? "a date such as 1970-01-01" : word));
  return [words.slice(0, -1).join(", "), words.at(-1)].join(" or ");
}

/** zod's words after the flag's name: "Too big: expected number to be <=16". */
const lower = (message: string) =>
  /^[A-Z][a-z]/.test(message) ? `is not right: ${message.charAt(0).toLowerCase()}${message.slice(1)}` : message;
