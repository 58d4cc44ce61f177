import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../chaos/random.ts";
import type { BillingPlace } from "../place.ts";
import type { SimulatorProcess } from "./simulator.ts";

/** What strikes while the players act; each ends by itself, so that the installation is whole between two of them. */

export type Strike = (typeof strikes)[number];
export const strikes = [
  "kill-operator",
  "kill-api",
  "kill-simulator",
  "lost-answer",
  "stripe-error",
  "slow-stripe",
  "stripe-down",
  "webhooks-lost",
  "webhooks-doubled",
  "webhooks-reordered",
  "webhooks-late",
  "clock-jump",
  "holds-lapse",
] as const;

export interface Struck {
  place: BillingPlace;
  simulator: SimulatorProcess;
  startSimulator(): Promise<void>;
  random: Random;
}

export async function strike(kind: Strike, { place, simulator, startSimulator, random }: Struck): Promise<void> {
  const { installation, control } = place;
  const pause = (most: number) => sleep(100 + random.below(most));
  switch (kind) {
    case "kill-operator":
      await installation.operator.stop("SIGKILL");
      await pause(1000);
      return installation.restartOperator();
    case "kill-api": {
      const at = random.below(installation.replicas.length);
      await installation.replicas[at]?.stop("SIGKILL");
      await pause(1000);
      return installation.restartReplica(at);
    }
    case "kill-simulator":
      await simulator.kill();
      await pause(1000);
      return startSimulator();
    case "lost-answer":
      // Also the SDK's own repetition is lost at times.
      return control("/faults", { kind: "reset", when: "after", times: 1 + random.below(3) });
    case "stripe-error":
      return control("/faults", { kind: "error", when: random.pick(["before", "after"]), times: 1 + random.below(3) });
    case "slow-stripe":
      return control("/faults", { kind: "slow", ms: 500 + random.below(2000), times: 3 });
    case "stripe-down":
      await control("/down");
      await pause(2000);
      return control("/up");
    case "webhooks-lost":
      return control("/webhooks/rules", { kind: "drop", times: 1 + random.below(5) });
    case "webhooks-doubled":
      return control("/webhooks/rules", { kind: "duplicate", times: 1 + random.below(5) });
    case "webhooks-late":
      return control("/webhooks/rules", { kind: "delay", seconds: 5, times: 1 + random.below(5) });
    case "webhooks-reordered": {
      await control("/webhooks/rules", { kind: "hold", times: 2 + random.below(4) });
      await pause(2000);
      const pending = await fetch(`${place.stripe.control}/webhooks`);
      const ids = ((await pending.json()) as { id: string; held: boolean }[])
        .filter((one) => one.held)
        .map(({ id }) => id);
      return control("/webhooks/release", { ids: ids.reverse() });
    }
    case "clock-jump":
      return control("/clock", { advance: 60 + random.below(600) });
    case "holds-lapse":
      await control("/settings", { holdSeconds: 2 });
      await pause(1500);
      return control("/settings", { holdSeconds: 7 * 86_400 });
  }
}
