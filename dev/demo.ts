/**
 * `npm run demo`: brings up a real Kubernetes, installs the chart, starts a MySQL with a shop in it and an empty
 * PostgreSQL, applies a Migration, follows it, and compares both databases independently of the engine.
 *
 *   --once                 removes everything at the end
 *   --detach               starts everything and fills the source, but makes no copy
 *   --json                 prints one JSON object with what a script needs (with `npm run --silent`)
 *   --use-current-context  uses KUBECONFIG's current context instead of its own cluster
 *   --processes            runs everything as ordinary processes of your account, also where there is Docker or root
 */
import { parseArgs } from "node:util";
import { runDemo } from "./demo/run.ts";
import { runCommand } from "./terminal/command.ts";
import { failure } from "./terminal/failure.ts";

await runCommand("demo", async ({ terminal, signal }) => {
  const { values } = parseArgs({
    options: {
      once: { type: "boolean", default: false },
      detach: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      "use-current-context": { type: "boolean", default: false },
      processes: { type: "boolean", default: false },
    },
  });
  const { once, detach, json, processes } = values;
  if (once && detach)
    throw failure(
      "--once and --detach exclude each other.",
      "Use --once to remove everything at the end, or --detach to leave it running.",
    );
  const useCurrentContext = values["use-current-context"];
  if (useCurrentContext && processes)
    throw failure("--use-current-context and --processes exclude each other.", "Use one of them.");
  const facts = await runDemo({ terminal, signal, once, migrate: !detach, useCurrentContext, processes });
  if (json) console.log(JSON.stringify(facts));
  return 0;
});
