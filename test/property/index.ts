// npm run property [-- --seed N] [--count N] [--from N] [--only WAY]: random schemas along each way, `count` cases for each.
import { parseArgs } from "node:util";
import { runCommand } from "../../dev/terminal/command.ts";
import { failure, throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../whole-number.ts";
import { openServers, playProperty, ways } from "./play.ts";

await runCommand("property", async ({ terminal }) => {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      count: { type: "string", default: "100" },
      from: { type: "string", default: "0" },
      only: { type: "string" },
    },
  });
  const names = Object.keys(ways).filter((name) => values.only === undefined || name === values.only);
  if (names.length === 0)
    throw failure(`Unknown direction: ${values.only}`, `Use one of ${Object.keys(ways).join(", ")}.`);
  const number = (name: "seed" | "count" | "from"): number => wholeNumber(`--${name}`, values[name]);
  const options = { seed: number("seed"), count: number("count"), from: number("from"), names };
  const servers = await openServers();
  try {
    const { cases, failures } = await playProperty(servers, options, (line) => terminal.line(line));
    console.log(`seed ${values.seed}: ${cases} cases, ${failures.length} failed`);
    throwIfAny(failures, "Run the command of a FAILED line above to repeat that case.");
    return 0;
  } finally {
    await servers.close();
  }
});
