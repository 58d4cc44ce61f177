import Stripe from "stripe";
import { expect, inject } from "vitest";
import { type SimulatorOptions, startSimulator } from "../../dev/stripe/simulator.ts";
import type { Entry } from "../../dev/stripe/state/history.ts";
import { ask, startRecorder } from "./recorder.ts";

/** Stripe's own SDK, and the simulator that it talks to. */
export interface Pair {
  stripe: Stripe;
  /** Another client, for example with another key. */
  client(key: string, config?: ConstructorParameters<typeof Stripe>[1]): Stripe;
  /** Of the simulator, past the recorder. */
  url: string;
  /** `POST` with a body, else `GET`, at the control endpoint. Errors: another status than 200. */
  control<T = unknown>(path: string, body?: object): Promise<T>;
  remove(path: string): Promise<void>;
  history(): Promise<Entry[]>;
  /** Ends the simulator; fails if an exchange or an event is not as Stripe describes it. */
  close(): Promise<void>;
}

export const startPair = async (options: SimulatorOptions = {}): Promise<Pair> => {
  const referee = inject("referee");
  const simulator = await startSimulator({ ...options, random: options.random ?? Math.random });
  const recorder = await startRecorder(simulator, referee);
  const client: Pair["client"] = (key, config = {}) =>
    new Stripe(key, {
      host: "127.0.0.1",
      port: recorder.port,
      protocol: "http",
      maxNetworkRetries: 0,
      telemetry: false,
      ...config,
    });
  const stripe = client(simulator.key);
  const control = async <T>(path: string, body?: object): Promise<T> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${simulator.control}${path}`, init);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const remove = async (path: string): Promise<void> => {
    await fetch(`${simulator.control}${path}`, { method: "DELETE" });
  };
  return {
    stripe,
    client,
    url: simulator.url,
    control,
    remove,
    history: () => control<Entry[]>("/history"),
    async close() {
      await control("/up", {});
      await remove("/faults");
      const wrong: string[] = [];
      for await (const event of stripe.events.list({ limit: 100 })) {
        const problems = await ask(referee, "/thing", event.data.object);
        wrong.push(...problems.map((problem) => `event ${event.type}: ${problem}`));
      }
      wrong.push(...(await recorder.problems()));
      await recorder.close();
      await simulator.close();
      expect(wrong).toEqual([]);
    },
  };
};
