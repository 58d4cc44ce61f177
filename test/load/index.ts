// npm run load [-- --seed N] [--accounts N] [--migrations N] [--rate N] [--seconds N]: 10,000 Migrations of 100 accounts, and 300 requests a second
// for 60 s over two replicas, each restarted meanwhile, one killed after it. Nothing else should run on the machine. With --profile
// FOLDER, each replica that ends in order leaves a CPU profile there.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { runCommand } from "../../dev/terminal/command.ts";
import { throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../whole-number.ts";
import { playLoad } from "./play.ts";

await runCommand("load", async ({ terminal, signal }) => {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      accounts: { type: "string", default: "100" },
      migrations: { type: "string", default: "10000" },
      rate: { type: "string", default: "300" },
      seconds: { type: "string", default: "60" },
      profile: { type: "string" },
    },
  });
  const number = (name: Exclude<keyof typeof values, "profile">): number => wholeNumber(`--${name}`, values[name]);
  const [accounts, seed] = [number("accounts"), number("seed")];
  const options = {
    ...{ accounts, migrations: number("migrations"), rate: number("rate"), seconds: number("seconds") },
    ...{ warm: 5, streams: accounts, seed, timed: true },
    ...(values.profile === undefined ? {} : { profile: resolve(values.profile) }),
  };
  const { lines, broken } = await playLoad(options, (line) => {
    signal.throwIfAborted();
    terminal.line(line);
  });
  for (const line of lines) console.log(line);
  for (const one of broken) console.log(`BROKEN ${one}`);
  console.log(`seed ${seed}: ${broken.length} bounds broken`);
  throwIfAny(
    broken,
    `Run it again with nothing else on the machine: \`npm run load -- --seed ${seed}\`; --profile FOLDER shows where the time goes.`,
  );
  return 0;
});
