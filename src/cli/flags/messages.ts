import { noPassword } from "../../engine/contract/text/no-password.ts";
import { optionsSchema } from "../../resources/options.ts";
import { flagName } from "./index.ts";

/** The engine's sentences name options as a Migration does (`options.drop`); here they are flags (`--drop`). */

const keys = Object.keys(optionsSchema.shape).join("|");
/** Not where a table or schema of that name is meant: quoted, with a name beside it, or after its kind. */
const spoken = new RegExp(
  `(?<![\\w."'\`/-])(?<!\\b(?:tables?|columns?|views?|schemas?|index|sequence|constraint|check|key|trigger|function|type) )options\\.(${keys})(?![\\w"'\`-]|\\.\\w)`,
  "g",
);

export const messageWithFlags = (words: string): string =>
  words
    .replace(spoken, (_, key: string) => `--${flagName(key)}`)
    .replace(withoutPassword, (_, before: string, side: string) => `${before}${passwordWays(side)}`);

const withoutPassword = new RegExp(
  `(the (source|target)\\b[^\\n]*?)${noPassword.replace(/[.*+?^$()[\]{}|\\]/g, "\\$&")}`,
);
const passwordWays = (side: string) =>
  `no password was given: set ROWFERRY_${side.toUpperCase()}_PASSWORD, or pass --${side}-password-file FILE`;

/** The sentences of a report or an answer; names and the source's own text stay. */
export const withFlags = <Found extends { inventory: readonly { note?: string }[] }>(found: Found): Found => ({
  ...found,
  ...("warnings" in found ? { warnings: (found.warnings as string[]).map(messageWithFlags) } : {}),
  inventory: found.inventory.map((entry) =>
    entry.note === undefined ? entry : { ...entry, note: messageWithFlags(entry.note) },
  ),
});
