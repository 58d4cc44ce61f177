// `node dev/start.mjs dev/stripe/index.ts [options]`: a simulator of Stripe, until Ctrl-C. Its first line on stdout is
// JSON: url, control, key.
import { parseArgs } from "node:util";
import { runCommand } from "../terminal/command.ts";
import { startSimulator } from "./simulator.ts";

const options = {
  host: { type: "string" },
  port: { type: "string" },
  "control-port": { type: "string" },
  /** Where browsers reach it, if that is not where it listens. */
  url: { type: "string" },
  /** Keeps its state, for a restart. */
  file: { type: "string" },
  key: { type: "string" },
  webhook: { type: "string" },
  "webhook-secret": { type: "string", default: "whsec_simulator" },
} as const;

await runCommand("stripe", async ({ signal }) => {
  const { values } = parseArgs({ options });
  const { host, url, file, key, webhook } = values;
  const simulator = await startSimulator({
    ...(host === undefined ? {} : { host }),
    ...(url === undefined ? {} : { url }),
    ...(file === undefined ? {} : { file }),
    ...(key === undefined ? {} : { key }),
    port: Number(values.port ?? 0),
    controlPort: Number(values["control-port"] ?? 0),
    endpoints:
      webhook === undefined
        ? []
        : [{ id: "we_simulator", url: webhook, events: ["*"], secrets: [values["webhook-secret"]] }],
  });
  console.log(JSON.stringify({ url: simulator.url, control: simulator.control, key: simulator.key }));
  await new Promise<void>((ended) => signal.addEventListener("abort", () => ended(), { once: true }));
  await simulator.close();
  return 0;
});
