// npm run chaos [-- --seed N] [--rounds N] [--cases N] [--rows N]: 200 rounds over the four directions, 500 property cases
// and one flipped bit in ten million rows. `npm run chaos -- billing [--seed N] [--histories N]`: payment. With --only DIRECTION or --from N the rounds alone, as a failure's line says.
import { parseArgs } from "node:util";
import { runCommand } from "../../dev/terminal/command.ts";
import { failure, throwIfAny } from "../../dev/terminal/failure.ts";
import { billingChaos } from "../billing/chaos/command.ts";
import { openServers, playProperty, ways } from "../property/play.ts";
import { wholeNumber } from "../whole-number.ts";
import { playBits } from "./bits.ts";
import { tallyFailure, tallyWords } from "./blows.ts";
import { play } from "./play.ts";
import { directions } from "./scene.ts";

await runCommand("chaos", async ({ terminal, signal }) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      histories: { type: "string", default: "500" },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      rounds: { type: "string", default: "200" },
      cases: { type: "string", default: "500" },
      rows: { type: "string", default: "10000000" },
      from: { type: "string" },
      only: { type: "string" },
    },
  });
  const only = directions.find((direction) => direction === values.only);
  if (values.only !== undefined && only === undefined)
    throw failure(`Unknown direction: ${values.only}`, `Use one of ${directions.join(", ")}.`);
  const number = (name: "histories" | "seed" | "rounds" | "cases" | "rows"): number =>
    wholeNumber(`--${name}`, values[name]);
  if (positionals.length > 0) {
    if (positionals.join(" ") !== "billing")
      throw failure(`Unknown argument: ${positionals.join(" ")}`, "Use `billing`, or no argument.");
    return billingChaos(terminal, signal, { seed: number("seed"), histories: number("histories") });
  }
  const [seed, rounds, cases, rows] = [number("seed"), number("rounds"), number("cases"), number("rows")];
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
    const names = Object.keys(ways);
    const property = await playProperty(servers, { seed, count: Math.ceil(cases / names.length), names }, say).finally(
      () => servers.close(),
    );
    summary.push(`${property.cases} property cases, ${property.failures.length} failed`);
    const bits = await playBits({ seed, rows }, say).catch((error: Error) => ({ found: 0, failures: [error.message] }));
    summary.push(`${bits.found} flipped bits found in ${rows} rows, ${bits.failures.length} failed`);
    failures.push(...property.failures, ...bits.failures);
  }
  console.log(summary.join("; "));
  throwIfAny(failures, "Run the command of a FAILED line above to repeat that round or case.");
  return 0;
});
