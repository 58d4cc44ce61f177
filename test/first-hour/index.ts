// npm run first-hour [-- bookworm trixie downloads docker]: the first commands of a new user in a clean root file system of Debian 12 and
// 13, in a clone of the last commit that stands alone; the demo where the programs' releases are reached; and those of a user of Docker who is not root, in a copy of this clone.
// Needs root on Debian or Ubuntu, and takes about 8 minutes for each, with Docker more.
import { runCommand } from "../../dev/terminal/command.ts";
import { failure } from "../../dev/terminal/failure.ts";
import { dockerHour } from "./docker/index.ts";
import { playDownloads, playHour } from "./hour.ts";
import { type Suite, suites } from "./root.ts";

await runCommand("first-hour", async ({ terminal, signal }) => {
  const words = process.argv.slice(2);
  const isSuite = (word: string): word is Suite => suites.some((suite) => suite === word);
  const others = ["downloads", "docker"];
  const unknown = words.filter((word) => !isSuite(word) && !others.includes(word));
  if (unknown.length > 0)
    throw failure(`Unknown: ${unknown.join(", ")}`, `Choose from ${[...suites, ...others].join(", ")}.`);
  for (const suite of suites) {
    if (words.length > 0 && !words.includes(suite)) continue;
    await terminal.step(`First hour on Debian ${suite}`, () => playHour(suite, terminal, signal));
  }
  if (words.length === 0 || words.includes("downloads")) {
    await terminal.step("First hour with the programs' releases", () => playDownloads(terminal, signal));
  }
  if (words.length === 0 || words.includes("docker")) {
    await terminal.step("First hour with Docker", () => dockerHour({ terminal, signal }));
  }
  return 0;
});
