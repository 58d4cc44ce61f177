/**
 * `npm run demo`: brings up a real Kubernetes, installs the chart, starts a MySQL with a shop in it and an empty
 * PostgreSQL, applies a Migration, follows it, and compares both databases by a reader of its own.
 *
 *   --once                 cleans up and exits
 *   --detach --json        prints one JSON object with what a script needs, and keeps everything
 *   --use-current-context  uses KUBECONFIG's current context instead of a cluster of its own
 */
import { parseArgs } from "node:util";
import { runDemo } from "./demo/run.ts";
import { openTerminal } from "./terminal/index.ts";

const { values } = parseArgs({
  options: {
    once: { type: "boolean", default: false },
    detach: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    "use-current-context": { type: "boolean", default: false },
  },
});

const terminal = openTerminal({ name: "demo" });
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(name, () => stop.abort(new Error("interrupted")));
try {
  const facts = await runDemo({
    terminal,
    signal: stop.signal,
    once: values.once,
    migrate: !values.detach,
    useCurrentContext: values["use-current-context"],
  });
  if (values.json) console.log(JSON.stringify(facts));
} catch (error) {
  terminal.fail(error);
  process.exitCode = stop.signal.aborted ? 130 : 1;
} finally {
  terminal.close();
}
