// npm run property: random schemas along each way, `count` cases for each.
import { runCommand } from "../../dev/terminal/command.ts";
import { throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../../dev/terminal/options.ts";
import { seedOption } from "../seed.ts";
import { openServers, playProperty, wayNames } from "./play.ts";

const options = {
  ...seedOption,
  count: { type: "string", value: "N", default: "100", about: "Schemas for each direction (100)" },
  from: { type: "string", value: "N", default: "0", about: "The first one's number (0)" },
} as const;
const words = { usage: "[DIRECTION]…", about: "These alone", among: wayNames };
const about = "Copies random schemas and compares source and target.";

await runCommand({ name: "property", about, options, words }, async ({ terminal, signal, values, words: only }) => {
  const chosen = {
    seed: wholeNumber("--seed", values.seed),
    count: wholeNumber("--count", values.count, 1),
    from: wholeNumber("--from", values.from),
    names: wayNames.filter((name) => only.length === 0 || only.includes(name)),
  };
  const servers = await openServers({ assesses: true });
  try {
    const { cases, failures } = await playProperty(servers, chosen, (line) => terminal.line(line), signal);
    console.log(`seed ${values.seed}: ${cases} cases, ${failures.length} failed`);
    throwIfAny(failures, "Run the command of a FAILED line above to repeat that case.");
    return 0;
  } finally {
    await servers.close();
  }
});
