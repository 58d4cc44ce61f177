// `npm run down -- [--name NAME]`: takes the cluster down without a trace. A cluster of someone else's stays.
import { closeCluster } from "./cluster/index.ts";
import { parseClusterOptions } from "./cluster/options.ts";
import { runCommand } from "./terminal/command.ts";

await runCommand("down", async ({ terminal }) => {
  const { name, useCurrentContext } = parseClusterOptions(process.argv.slice(2));
  if (useCurrentContext) {
    terminal.line("The current context's cluster is yours and stays.");
    return 0;
  }
  const found = await terminal.step(`Take down cluster "${name}"`, () => closeCluster(name, terminal));
  if (!found) terminal.line(`  there was no cluster "${name}" of this clone`);
  return 0;
});
