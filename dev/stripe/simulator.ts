import { openControl } from "./control/server.ts";
import { openPublic } from "./http/public.ts";
import { listen } from "./http/server.ts";
import { settle } from "./objects/due.ts";
import { type GivenPrice, givePrice } from "./objects/prices.ts";
import { openStore } from "./state/store.ts";
import { openWorld, type Settings } from "./state/world.ts";
import { type Endpoint, openOutbox } from "./webhooks/outbox.ts";

export interface SimulatorOptions extends Partial<Settings> {
  /** Where to listen; 127.0.0.1 by default, at free ports. */
  host?: string;
  port?: number;
  controlPort?: number;
  /** Keeps everything, so that a killed simulator goes on. Also keeps what these options set, which then win. */
  file?: string;
  /** The account's secret key. */
  key?: string;
  prices?: readonly GivenPrice[];
  endpoints?: readonly Endpoint[];
  /** From 0 to 1; for ids. */
  random?: () => number;
}

export interface Simulator {
  /** Of API and pages, without a slash at the end. */
  url: string;
  host: string;
  port: number;
  /** Of the control endpoint (`control/routes.ts`). */
  control: string;
  key: string;
  /** Ends as a kill does: what is not in the file is lost. */
  close(): Promise<void>;
}

const defaultKey = "sk_test_simulator";
const daySeconds = 86_400;
const stripesPaymentRetries: readonly number[] = [3 * daySeconds, 5 * daySeconds, 7 * daySeconds];
/** For three days, as Stripe does with a live account. */
const stripesWebhookRetries: readonly number[] = [60, 300, 1_800, 7_200, 18_000, 36_000, 43_200, 43_200, 43_200];
/** How often the clock is looked at without a request: holds and sessions lapse by themselves. */
const tickMs = 250;

/** Starts a simulator of Stripe: API and pages on one port, the control endpoint on another. */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const { host = "127.0.0.1", port = 0, controlPort = 0, file, key = defaultKey } = options;
  const store = openStore(file);
  const nowMs = (): number => Date.now() + (store.get<number>("clock", "offset") ?? 0) * 1000;
  // What an earlier start was set to, where this one says nothing else.
  const { url: _url, ...before } = store.get<Settings>("settings", "settings") ?? ({} as Partial<Settings>);
  const settings: Settings = {
    url: options.url ?? "",
    holdSeconds: options.holdSeconds ?? before.holdSeconds ?? 7 * daySeconds,
    portalCancels: options.portalCancels ?? before.portalCancels ?? "at_period_end",
    paymentRetrySeconds: options.paymentRetrySeconds ?? before.paymentRetrySeconds ?? stripesPaymentRetries,
    webhookRetrySeconds: options.webhookRetrySeconds ?? before.webhookRetrySeconds ?? stripesWebhookRetries,
  };
  const world = openWorld(
    settings,
    store,
    () => nowMs() / 1000,
    (event) => outbox.add(event),
    options.random ?? Math.random,
  );
  const outbox = openOutbox(world, nowMs);

  store.set("api_keys", key, { key, rights: null });
  for (const endpoint of options.endpoints ?? []) store.set("endpoints", endpoint.id, endpoint);
  for (const price of options.prices ?? []) if (world.find(price.id) === undefined) givePrice(world, price);
  store.commit();

  const main = await listen(openPublic(world, outbox.pump), host, port);
  if (options.url === undefined) settings.url = `http://${host}:${main.port}`;
  const controlled = {
    world,
    outbox,
    advance(seconds: number) {
      store.set("clock", "offset", (store.get<number>("clock", "offset") ?? 0) + seconds);
      settle(world);
      world.record({ kind: "clock", seconds });
      return world.now();
    },
    down: main.down,
    up: main.up,
  };
  const control = await listen(openControl(controlled), host, controlPort);

  const tick = setInterval(() => {
    settle(world);
    store.commit();
    outbox.pump();
  }, tickMs).unref();
  outbox.pump();
  return {
    url: settings.url,
    host,
    port: main.port,
    control: `http://${host}:${control.port}`,
    key,
    async close() {
      clearInterval(tick);
      await Promise.all([main.down(), control.down()]);
      await outbox.close();
    },
  };
};
