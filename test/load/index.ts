// npm run load: many Migrations of many accounts, and requests to two replicas of the API, each restarted meanwhile, one killed
// after it. Nothing else should run on the machine.
import { resolve } from "node:path";
import { runCommand } from "../../dev/terminal/command.ts";
import { throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../../dev/terminal/options.ts";
import { seedOption } from "../seed.ts";
import { measureCreates } from "./creates.ts";
import { playFinished, playWaiting } from "./crowd.ts";
import { playFailing } from "./failing.ts";
import type { Outcome } from "./one-operator.ts";
import { playLoad } from "./play.ts";
import { playSchedules } from "./schedules.ts";

const number = { type: "string", value: "N" } as const;
const options = {
  ...seedOption,
  accounts: { ...number, default: "100", about: "Accounts (100)" },
  migrations: { ...number, default: "10000", about: "Migrations of all accounts (10000)" },
  rate: { ...number, default: "300", about: "Requests per second (300)" },
  seconds: { ...number, default: "60", about: "Duration (60)" },
  schedules: { ...number, default: "1000", about: "BackupSchedules that are due at one minute (1000)" },
  profile: {
    type: "string",
    value: "FOLDER",
    about: "Replicas of the API, and the operator of `failing`, leave CPU profiles there",
  },
} as const;
const about = "Sends requests to two replicas of the API while they restart, and checks latencies and answers.";

const words = {
  usage: "[creates|finished|waiting|failing|schedules]",
  about: "creates: with billing on, beside off. finished, waiting, failing, schedules: one operator among many",
  among: ["creates", "finished", "waiting", "failing", "schedules"],
  most: 1,
};

await runCommand({ name: "load", about, options, words }, async ({ terminal, signal, values, words: [what] }) => {
  if (what === "creates") {
    for (const line of await measureCreates((text) => terminal.line(text))) console.log(line);
    return 0;
  }
  const numberOf = (name: Exclude<keyof typeof values, "profile">): number =>
    wholeNumber(`--${name}`, values[name], name === "seed" ? 0 : 1);
  const playOne = (say: (line: string) => void): Promise<Outcome> => {
    const [count, seconds] = [numberOf("migrations"), numberOf("seconds")];
    if (what === "finished") return playFinished(count, say);
    if (what === "waiting") return playWaiting(count, seconds, say);
    const profile = values.profile === undefined ? undefined : resolve(values.profile);
    if (what === "failing")
      return playFailing({ migrations: count, waves: seconds, timed: true, image: true, profile }, say);
    const limits = { cluster: 20, namespace: 5 };
    const more = { namespaces: 20, migrations: 60, limits, takes: 1000, timed: true, image: true };
    return playSchedules({ schedules: numberOf("schedules"), jitter: seconds * 1000, ...more }, say);
  };
  if (what !== undefined) {
    const say = (line: string) => terminal.line(line);
    const { lines, broken } = await playOne(say);
    for (const line of lines) console.log(line);
    throwIfAny(broken, `Run it again with nothing else on the machine: \`npm run load -- ${what}\`.`);
    return 0;
  }
  const [accounts, seed] = [numberOf("accounts"), numberOf("seed")];
  const chosen = {
    ...{ accounts, migrations: numberOf("migrations"), rate: numberOf("rate"), seconds: numberOf("seconds") },
    ...{ warm: 5, streams: accounts, seed, timed: true },
    ...(values.profile === undefined ? {} : { profile: resolve(values.profile) }),
  };
  const { lines, broken } = await playLoad(chosen, (line) => {
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
