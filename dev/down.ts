// `npm run down -- [--name NAME]`: removes the cluster and everything that it left. The current context's cluster is never removed.
import { closeCluster } from "./cluster/index.ts";
import { parseClusterOptions } from "./cluster/options.ts";
import { runCommand } from "./terminal/command.ts";

await runCommand("down", async ({ terminal }) => {
  const { name, useCurrentContext } = parseClusterOptions(process.argv.slice(2));
  if (useCurrentContext) {
    terminal.line("The current context's cluster is yours: nothing was removed.");
    return 0;
  }
  const found = await terminal.step(`Remove cluster "${name}"`, () => closeCluster(name, terminal));
  if (!found) terminal.line(`  this clone has no cluster "${name}"`);
  return 0;
});
