// npm run chaos: rounds of kills over the four directions, random schemas, and one flipped bit in many rows. With a
// direction or --from the rounds alone, as a failure's line says. `npm run chaos -- billing`: payment; `-- backups`: backups;
// `-- openings`: snapshots under a writer.
import { runCommand } from "../../dev/terminal/command.ts";
import { throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../../dev/terminal/options.ts";
import { backupsChaos } from "../backup-operator/chaos/command.ts";
import { billingChaos } from "../billing/chaos/command.ts";
import { openServers, playProperty, wayNames } from "../property/play.ts";
import { seedOption } from "../seed.ts";
import { playBits } from "./bits.ts";
import { tallyFailure, tallyWords } from "./blows.ts";
import { endInTime } from "./ending.ts";
import { openingsChaos } from "./openings.ts";
import { play } from "./play.ts";
import { directions } from "./scene.ts";

const number = { type: "string", value: "N" } as const;
const options = {
  ...seedOption,
  rounds: { ...number, default: "200", about: "Rounds of kills in all (200)" },
  cases: { ...number, default: "500", about: "Random schemas in all (500)" },
  rows: { ...number, default: "10000000", about: "Rows of the table with the flipped bit (10000000)" },
  from: { ...number, about: "Rounds alone, from this one" },
  histories: { ...number, default: "500", about: "Histories of accounts, with billing (500)" },
  kills: { ...number, default: "100", about: "Kills in all, with backups (100)" },
  openings: { ...number, default: "5000", about: "Snapshots of each kind, with openings (5000)" },
  kind: { type: "string", value: "NAME", about: "One kind of snapshots, with openings" },
} as const;
const about = "Kills a copy's parts at random moments, and proves that the copy is right or says that it is not.";

const words = {
  usage: "[DIRECTION|backups|billing|openings]",
  about: "Rounds of one direction, or of backups, payment or MySQL's snapshots in place of copies",
  among: [...directions, "backups", "billing", "openings"],
  most: 1,
};

await runCommand({ name: "chaos", about, options, words }, async ({ terminal, signal, values, words: [what] }) => {
  endInTime(signal);
  const only = directions.find((direction) => direction === what);
  const numberOf = (name: "seed" | "rounds" | "cases" | "rows" | "histories" | "kills" | "openings"): number =>
    wholeNumber(`--${name}`, values[name]);
  if (what === "billing")
    return billingChaos(terminal, signal, { seed: numberOf("seed"), histories: numberOf("histories") });
  if (what === "backups") return backupsChaos(terminal, signal, { seed: numberOf("seed"), kills: numberOf("kills") });
  if (what === "openings")
    return openingsChaos(terminal, signal, { openings: numberOf("openings"), only: values.kind });
  const [seed, rounds, cases, rows] = [numberOf("seed"), numberOf("rounds"), numberOf("cases"), numberOf("rows")];
  const from = wholeNumber("--from", values.from ?? "0");
  // Said after every round and case: where an interrupt ends the run, and its servers with it.
  const say = (line: string) => {
    signal.throwIfAborted();
    terminal.line(line);
  };

  const each = Math.ceil(rounds / (only === undefined ? directions.length : 1));
  const played = await play({ seed, from, rounds: each, ...(only === undefined ? {} : { only }) }, say);
  const missed = tallyFailure(played.tally);
  if (missed !== undefined) say(`FAILED ${missed}`);
  const summary = [`seed ${seed}: ${played.rounds} rounds, ${played.failures.length} failed`, tallyWords(played.tally)];
  const failures = missed === undefined ? [...played.failures] : [...played.failures, missed];
  if (only === undefined && values.from === undefined) {
    const servers = await openServers();
    const names = wayNames;
    const property = await playProperty(
      servers,
      { seed, count: Math.ceil(cases / names.length), names },
      say,
      signal,
    ).finally(() => servers.close());
    summary.push(`${property.cases} property cases, ${property.failures.length} failed`);
    const bits = await playBits({ seed, rows }, say).catch((error: Error) => ({ found: 0, failures: [error.message] }));
    summary.push(`${bits.found} flipped bits found in ${rows} rows, ${bits.failures.length} failed`);
    failures.push(...property.failures, ...bits.failures);
  }
  console.log(summary.join("; "));
  throwIfAny(failures, "Run the command of a FAILED line above to repeat that round or case.");
  return 0;
});
