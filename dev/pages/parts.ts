import { readFileSync } from "node:fs";
import { join } from "node:path";
import { usualLimits } from "../../src/main/api/config.ts";
import { attempts } from "../../src/requests/accounts/attempts.ts";
import { markdownTable } from "./table.ts";

/** Tables that follow from the source in pages that are written by hand: between `<!-- from: NAME -->` and `<!-- /from -->`. */

const lengths: Record<number, string> = { 60: "a minute", 900: "in 15 minutes", 3600: "an hour", 86400: "a day" };

const windows = (all: readonly { points: number; seconds: number }[]): string =>
  all.map(({ points, seconds }) => `${points} ${lengths[seconds] ?? `in ${seconds} s`}`).join(" and ");

const tiersFor: Record<Exclude<keyof typeof usualLimits, `credentials_${string}`>, string> = {
  read: "GET, and restores",
  write: "POST, PATCH, DELETE, except restores",
  probe: "preflight, estimates, connection tests",
  minting: "creating API tokens",
  ai: "the MCP servers",
  handshake:
    "other calls of the MCP servers: `initialize`, `server/discover`, `ping`, notifications and invalid messages",
  search: "search of the documentation, without a token, from one address (IPv6: its /64)",
};

const tiers = (): string =>
  markdownTable(
    ["tier", "limit", "for"],
    Object.entries(tiersFor).map(([tier, what]) => [tier, windows(usualLimits[tier as keyof typeof tiersFor]), what]),
  );

const guesses = (): string =>
  markdownTable(
    ["what", "how many"],
    [
      ["wrong passwords for one account from one address (IPv6: its /64)", windows([attempts.accountAndAddress])],
      ["wrong passwords for one account, from all addresses together", windows([attempts.account])],
      ["wrong passwords from one address, for any account", windows([attempts.address])],
      ["wrong passwords in a browser that signed in before, instead of these three", windows([attempts.device])],
      [
        "a wrong current password at a change of the password, in one session, or with all tokens of an account",
        windows([attempts.passwordChange]),
      ],
      ["sign-ups from one address", windows([attempts.signUp])],
      ["accounts made by sign-up, from all addresses together", windows([attempts.signUpInAll])],
    ],
  );

/** The rows of the chart's README, which a test holds against its values and their schema. */
function values(): string {
  const readme = readFileSync(join(import.meta.dirname, "../../charts/rowferry/README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| (`[^|]*`) *\| *(.*?) *\| *(.*?) *\|$/gm)].map(([, ...cells]) => cells);
  return markdownTable(["value", "default", "meaning"], rows);
}

const parts: Record<string, () => string> = { tiers, guesses, values };

/** Errors: a name that is not known. */
export const withParts = (page: string): string =>
  page.replace(/(<!-- from: (\w+) -->)[\s\S]*?(<!-- \/from -->)/g, (_, begin: string, name: string, end: string) => {
    const make = parts[name];
    if (make === undefined) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
    return `${begin}\n\n${make()}\n\n${end}`;
  });
