// `node dev/start.mjs dev/stripe/index.ts [options]`: a simulator of Stripe, until Ctrl-C. Its first line on stdout is
// JSON: url, control, key.
import { runCommand } from "../terminal/command.ts";
import { startSimulator } from "./simulator.ts";

const text = { type: "string", value: "TEXT" } as const;
const options = {
  host: { ...text, about: "Where it listens" },
  port: { ...text, about: "0 takes a free one" },
  "control-port": { ...text, about: "For tests; 0 takes a free one" },
  url: { ...text, about: "Where browsers reach it, if that is not where it listens" },
  file: { ...text, about: "Keeps its state, for a restart" },
  key: { ...text, about: "The API key that it accepts" },
  webhook: { ...text, about: "The URL to send events to" },
  "webhook-secret": { ...text, default: "whsec_simulator", about: "Signs the events" },
} as const;
const usage = {
  name: "stripe",
  command: "node dev/start.mjs dev/stripe/index.ts",
  about: "Simulates Stripe until Ctrl-C.",
  options,
};

await runCommand(usage, async ({ signal, values }) => {
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
