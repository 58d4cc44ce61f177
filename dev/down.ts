// `npm run down`: removes the cluster and everything that it left. The current context's cluster is never removed.
import { closeCluster, hasCluster } from "./cluster/index.ts";
import { contextOption, nameOption } from "./cluster/options.ts";
import { runCommand } from "./terminal/command.ts";

const options = { ...nameOption, ...contextOption };
const about = "Removes a cluster of this clone, with everything that it left.";

await runCommand({ name: "down", about, options }, async ({ terminal, values }) => {
  const { name } = values;
  if (values["use-current-context"]) terminal.line("The current context's cluster is yours: nothing was removed.");
  else if (hasCluster(name)) await terminal.step(`Remove cluster "${name}"`, () => closeCluster(name, terminal));
  else terminal.line(`Nothing to remove: this clone has no cluster "${name}".`);
  return 0;
});
