// The Stripe simulator as the only program of a pod. Its settings are environment variables.
import { startSimulator } from "../../stripe/simulator.ts";
import { stripe, webhookPath } from "./names.ts";

const needed = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is required`);
  return value;
};

const simulator = await startSimulator({
  host: process.env["ROWFERRY_LISTEN_HOST"] ?? "0.0.0.0",
  // A cluster of processes gives the pod free ports.
  port: Number(process.env["STRIPE_PORT"] ?? stripe.port),
  controlPort: Number(process.env["STRIPE_CONTROL_PORT"] ?? stripe.controlPort),
  url: needed("STRIPE_URL"),
  key: needed("STRIPE_KEY"),
  file: needed("STRIPE_FILE"),
  endpoints: [
    {
      id: "we_demo",
      url: `${needed("STRIPE_WEBHOOK_BASE")}${webhookPath}`,
      events: ["*"],
      secrets: [needed("STRIPE_WEBHOOK_SECRET")],
    },
  ],
});
process.once("SIGTERM", async () => {
  await simulator.close();
  process.exit(0);
});
