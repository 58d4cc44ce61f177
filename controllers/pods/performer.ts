import type { Client } from "../../src/cluster/index.ts";
import type { Slots } from "../jobs/slots.ts";
import type { WorkerTemplate } from "../jobs/template.ts";

/** What a pass does beside the status: each act checks first at the API server that what the pass saw still holds. */
export interface Performer<Act, Observed> {
  /** Throws ClusterError `NotLeader` where this process may not act any more. */
  mayAct(): void;
  /** Does it, and returns what is observed then. */
  perform(act: Act, observed: Observed): Promise<Observed>;
}

export interface PerformerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  /** True only while this process is the leader; asked before every effect. */
  leads: () => boolean;
  template: () => WorkerTemplate;
  /** Shared by all that run as Jobs. */
  slots: Slots;
  now: () => Date;
}
