// `npm run kubectl -- get pods`: kubectl on this clone's cluster, with its own input, output and exit code.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findKubeconfig } from "./cluster/index.ts";
import { findKubectl } from "./cluster/kubectl.ts";
import { contextOption, nameOption } from "./cluster/options.ts";
import { runCommand } from "./terminal/command.ts";
import { failure } from "./terminal/failure.ts";

const usage = {
  name: "kubectl",
  about: "Runs kubectl on this clone's cluster.",
  options: { ...nameOption, ...contextOption },
  words: { usage: "COMMAND…", about: "For kubectl: `get pods -A`, or `help` for its own help" },
  passesOn: true,
};

await runCommand(usage, async ({ terminal, signal, values, words }) => {
  const { name } = values;
  const kubeconfig = values["use-current-context"] ? undefined : await findKubeconfig(name);
  if (kubeconfig === null) {
    const command = `npm run up${name === "dev" ? "" : ` -- --name ${name}`}`;
    throw failure(`Cluster "${name}" is not running.`, `Run \`${command}\` first.`);
  }
  const kubectl = await findKubectl({ terminal, signal });
  const env = kubeconfig === undefined ? process.env : { ...process.env, KUBECONFIG: kubeconfig };
  return new Promise<number>((resolve, reject) => {
    const child = spawn(kubectl, words, { stdio: "inherit", env });
    const stop = (): void => {
      child.kill("SIGTERM");
    };
    signal.addEventListener("abort", stop, { once: true });
    child.on("error", reject);
    child.on("close", (code, ended) => resolve(code ?? 128 + (ended === null ? 0 : constants.signals[ended])));
  });
});
