// `npm run kubectl -- [--name NAME] [--use-current-context] get pods`: kubectl on this clone's cluster, with its own
// input, output and exit code.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findKubeconfig } from "./cluster/index.ts";
import { findKubectl } from "./cluster/kubectl.ts";
import { leadingClusterOptions } from "./cluster/options.ts";
import { runCommand } from "./terminal/command.ts";
import { failure } from "./terminal/failure.ts";

await runCommand("kubectl", async ({ terminal, signal }) => {
  const { name, useCurrentContext, rest } = leadingClusterOptions(process.argv.slice(2));
  const kubeconfig = useCurrentContext ? undefined : await findKubeconfig(name);
  if (kubeconfig === null) {
    const command = `npm run up${name === "dev" ? "" : ` -- --name ${name}`}`;
    throw failure(`Cluster "${name}" is not running.`, `Run \`${command}\` first.`);
  }
  const kubectl = await findKubectl({ terminal, signal });
  const env = kubeconfig === undefined ? process.env : { ...process.env, KUBECONFIG: kubeconfig };
  return new Promise<number>((resolve, reject) => {
    const child = spawn(kubectl, rest, { stdio: "inherit", env });
    const stop = (): void => {
      child.kill("SIGTERM");
    };
    signal.addEventListener("abort", stop, { once: true });
    child.on("error", reject);
    child.on("close", (code, ended) => resolve(code ?? 128 + (ended === null ? 0 : constants.signals[ended])));
  });
});
