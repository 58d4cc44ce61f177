// npm run first-hour: the first commands of a new user in a clean root file system of Debian 12 and 13, in a clone of the last
// commit that stands alone; the demo where the programs' releases are reached; and those of a user of Docker who is not root, in
// a copy of this clone. Needs root on Debian or Ubuntu, and takes about 8 minutes for each, with Docker more.
import { runCommand } from "../../dev/terminal/command.ts";
import { dockerHour } from "./docker/index.ts";
import { playDownloads, playHour } from "./hour.ts";
import { suites } from "./root.ts";

const among = [...suites, "downloads", "docker"];
const usage = {
  name: "first-hour",
  about: "Runs the README's commands on clean machines. Needs root on Debian or Ubuntu.",
  words: { usage: "[MACHINE]…", about: "These alone, of", among },
};

await runCommand(usage, async ({ terminal, signal, words }) => {
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
