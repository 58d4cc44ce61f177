// `npm run up -- [--name NAME] [--use-current-context] [--processes]`: a Kubernetes, brought up or found.
import { openCluster } from "./cluster/index.ts";
import { parseClusterOptions } from "./cluster/options.ts";
import { downCommand } from "./cluster/place.ts";
import { runCommand } from "./terminal/command.ts";

await runCommand("up", async ({ terminal, signal }) => {
  const { processes, ...options } = parseClusterOptions(process.argv.slice(2));
  const cluster = await openCluster({ ...options, ...(processes ? { kind: "processes" } : {}), terminal, signal });
  const name = options.name === "dev" ? "" : ` --name ${options.name}`;
  terminal.line();
  terminal.line(`Kubernetes is up (${cluster.kind}).`);
  terminal.line(`  export KUBECONFIG=${cluster.kubeconfig}`);
  if (cluster.kind === "current-context") return 0;
  terminal.line(`  npm run kubectl --${name} get pods -A`);
  terminal.line(`  ${downCommand(options.name)}`);
  return 0;
});
