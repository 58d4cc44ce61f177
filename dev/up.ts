// `npm run up`: a Kubernetes, brought up or found.
import { openCluster } from "./cluster/index.ts";
import { contextOption, nameOption, nodesOption, processesOption } from "./cluster/options.ts";
import { downCommand } from "./cluster/place.ts";
import { runCommand } from "./terminal/command.ts";

const options = { ...nameOption, ...contextOption, ...processesOption, ...nodesOption };

await runCommand({ name: "up", about: "Starts Kubernetes, or finds it.", options }, async (command) => {
  const { terminal, signal, values } = command;
  const { name, processes, "use-current-context": useCurrentContext = false } = values;
  const kind = processes ? ({ kind: "processes" } as const) : {};
  const nodes = values.nodes === "2" ? 2 : undefined;
  const cluster = await openCluster({ name, useCurrentContext, ...kind, nodes, terminal, signal });
  const named = name === "dev" ? "" : ` --name ${name}`;
  terminal.line();
  terminal.line(`Kubernetes is up (${cluster.kind}).`);
  terminal.line(`  export KUBECONFIG=${cluster.kubeconfig}`);
  if (cluster.kind === "current-context") return 0;
  terminal.line(`  npm run kubectl --${named} get pods -A`);
  terminal.line(`  ${downCommand(name)}`);
  return 0;
});
