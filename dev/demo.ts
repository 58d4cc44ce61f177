/**
 * `npm run demo`: brings up a real Kubernetes, installs the chart, starts a MySQL with a shop in it and an empty
 * PostgreSQL, applies a Migration, follows it, and compares both databases by a reader of its own.
 *
 *   --once                 cleans up and exits
 *   --detach               brings everything up and fills the source, but leaves the Migration to you
 *   --json                 prints one JSON object with what a script needs (with `npm run --silent`)
 *   --use-current-context  uses KUBECONFIG's current context instead of a cluster of its own
 */
import { parseArgs } from "node:util";
import { runDemo } from "./demo/run.ts";
import { runCommand } from "./terminal/command.ts";

await runCommand("demo", async ({ terminal, signal }) => {
  const { values } = parseArgs({
    options: {
      once: { type: "boolean", default: false },
      detach: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      "use-current-context": { type: "boolean", default: false },
    },
  });
  const { once, detach, json } = values;
  if (once && detach) throw new Error("--once takes everything down and --detach leaves it: give one of them");
  const useCurrentContext = values["use-current-context"];
  const facts = await runDemo({ terminal, signal, once, migrate: !detach, useCurrentContext });
  if (json) console.log(JSON.stringify(facts));
  return 0;
});
