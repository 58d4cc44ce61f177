// The command line of a command: what it knows is written once, for reading it, for its usage, and for its errors.
import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { failure } from "./failure.ts";

export type Option = ParseArgsOptionDescriptor & {
  /** One line of the usage. */
  about: string;
  /** Stands for the value in the usage. */
  value?: string;
  /** The values that it takes. */
  among?: readonly string[];
};

export type Options = Record<string, Option>;

export type Usage<O extends Options = Options> = {
  name: string;
  about: string;
  /** As a person types it, without options; `npm run NAME` if absent. */
  command?: string;
  options?: O;
  /** What follows the options. `most` is a limit, `among` what may be there. */
  words?: { usage: string; about: string; among?: readonly string[]; most?: number };
  /** From the first word that is not an option of this command, everything is another program's. */
  passesOn?: boolean;
};

export type Line<O extends Options> = {
  values: ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>["values"];
  words: string[];
};

const dashed = (name: string, { value }: Option): string => `--${name}${value === undefined ? "" : ` ${value}`}`;

/** What a person types to run the command. */
export const commandOf = ({ name, command = `npm run ${name}` }: Usage): string => command;

/** The same before options: npm passes on what follows `--`, other programs need no such mark. */
const withOptions = (usage: Usage): string => {
  const command = commandOf(usage);
  return command.startsWith("npm ") ? `${command} --` : command;
};

/** More are for the error alone. */
const mostListed = 30;
const listed = (among: readonly string[] = []): string =>
  among.length < 2 || among.length > mostListed ? "" : `: ${among.join(", ")}`;

/** What `--help` prints. */
export const usageText = (usage: Usage): string => {
  const { about, options = {}, words } = usage;
  const rows = Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? "" : `-${option.short}, `;
    return [`${short}${dashed(name, option)}`, `${option.about}${listed(option.among)}`];
  });
  if (words !== undefined) rows.unshift([words.usage, `${words.about}${listed(words.among)}`]);
  rows.push(["--help", "Show this text"]);
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  const line = [withOptions(usage), "[options]", ...(words === undefined ? [] : [words.usage])].join(" ");
  const table = rows.map(([left = "", right]) => `  ${left.padEnd(width)}  ${right}`);
  return [`Usage: ${line}`, "", about, "", ...table].join("\n");
};

/** The next step after a command line that is wrong. */
const optionsOf = (usage: Usage): string => {
  const names = Object.entries(usage.options ?? {}).map(([name, option]) => dashed(name, option));
  return `Options: ${[...names, "--help"].join(", ")}. \`${withOptions(usage)} --help\` explains them.`;
};

/** npm takes options that do not follow `--` for its own, and hands them on as variables alone. */
export const refuseSwallowed = (usage: Usage, environment: NodeJS.ProcessEnv = process.env): void => {
  for (const [name, option] of Object.entries(usage.options ?? {})) {
    const found = [name, ...(option.short ?? [])]
      .map((one) => environment[`npm_config_${one.replaceAll("-", "_").toLowerCase()}`])
      .find((value) => value !== undefined && value !== "");
    if (found === undefined) continue;
    // Of `--seed 7`, npm makes the option "true" and the word "7".
    const value = option.type === "boolean" ? "" : ` ${found === "true" ? option.value : found}`;
    throw failure(`npm took --${name} for an option of its own.`, `Run \`${withOptions(usage)} --${name}${value}\`.`);
  }
};

/** How many of the words in front are the command's own. */
const ownWords = (args: readonly string[], options: Options): number => {
  for (let at = 0; at < args.length; at++) {
    const [, name = "", value] = /^--([^=]+)(=.*)?$/s.exec(args[at] ?? "") ?? [];
    const option = options[name];
    if (option === undefined) return at;
    if (option.type === "string" && value === undefined) at++;
  }
  return args.length;
};

const parse = <O extends Options>(usage: Usage<O>, args: readonly string[]): Line<O> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: usage.options ?? ({} as O),
      allowPositionals: usage.words !== undefined,
    });
    return { values, words: positionals };
  } catch (error) {
    const [first = ""] = (error as Error).message.split(". ");
    throw failure(`${first.replace(/\.$/, "")}.`, optionsOf(usage));
  }
};

const refuseOther = (what: string, found: readonly string[], among: readonly string[] | undefined): void => {
  const unknown = among === undefined ? undefined : found.find((one) => !among.includes(one));
  if (unknown !== undefined) throw failure(`${what} cannot be "${unknown}".`, `Use one of ${among?.join(", ")}.`);
};

/** Reads a command line; a text where it asks for help. Throws a Failure that names what it does not know. */
export const readLine = <O extends Options>(
  usage: Usage<O>,
  args: readonly string[] = process.argv.slice(2),
  environment: NodeJS.ProcessEnv = process.env,
): Line<O> | string => {
  const { options = {} as Options, words, passesOn = false } = usage;
  const own = passesOn ? ownWords(args, { ...options, help: { type: "boolean", about: "" } }) : args.length;
  if (args.slice(0, own).includes("--help")) return usageText(usage);
  refuseSwallowed(usage, environment);
  const line = parse(usage, args.slice(0, own));
  const values: Record<string, unknown> = line.values;
  for (const [name, { among }] of Object.entries(options))
    refuseOther(`--${name}`, [values[name] ?? []].flat().map(String), among);
  refuseOther(words?.usage ?? "", line.words, words?.among);
  if (line.words.length > (words?.most ?? Number.POSITIVE_INFINITY))
    throw failure(`Too many words: ${line.words.join(" ")}`, optionsOf(usage));
  return { values: line.values, words: [...line.words, ...args.slice(own)] };
};

/** A whole number that an option or a variable was given. Throws a Failure with an example. */
export const wholeNumber = (name: string, text: string, least = 0): number => {
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
  const example = name.startsWith("--") ? `${name} 7` : `${name}=7`;
  const from = least === 0 ? "" : ` of at least ${least}`;
  throw failure(`${name} must be a whole number${from}. It is "${text}".`, `Use for example \`${example}\`.`);
};
