/**
 * `npm run demo`: brings up a real Kubernetes, installs the chart, starts a MySQL with a shop in it and an empty
 * PostgreSQL, applies a Migration, follows it, and compares both databases independently of the engine. Then it backs the copy up into a
 * real S3 server, verifies the backup in a throw-away server, restores it into a new database, and compares that too.
 */
import { contextOption, processesOption } from "./cluster/options.ts";
import { runDemo } from "./demo/run.ts";
import { runCommand } from "./terminal/command.ts";
import { failure } from "./terminal/failure.ts";

const options = {
  once: { type: "boolean", default: false, about: "Remove everything at the end" },
  detach: { type: "boolean", default: false, about: "Start everything and fill the source, but make no copy" },
  json: {
    type: "boolean",
    default: false,
    about: "Print one JSON object with what a script needs (with `npm run --silent`)",
  },
  ...contextOption,
  ...processesOption,
} as const;
const about = "Starts Kubernetes and copies a MySQL shop into PostgreSQL, by REST and by kubectl.";

await runCommand({ name: "demo", about, options }, async ({ terminal, signal, values }) => {
  const { once, detach, json, processes = false, "use-current-context": useCurrentContext = false } = values;
  if (once && detach)
    throw failure(
      "--once and --detach exclude each other.",
      "Use --once to remove everything at the end, or --detach to leave it running.",
    );
  if (useCurrentContext && processes)
    throw failure("--use-current-context and --processes exclude each other.", "Use one of them.");
  const facts = await runDemo({ terminal, signal, once, migrate: !detach, useCurrentContext, processes });
  if (json) console.log(JSON.stringify(facts));
  return 0;
});
