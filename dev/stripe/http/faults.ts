import type { Store } from "../state/store.ts";

/** What goes wrong with the next requests to the API. The pages and the control endpoint have no faults. */
export interface Fault {
  id: string;
  /**
   * `reset`: the connection is cut. `slow`: the answer takes `ms` longer. `error`: an answer with `status`, by default 500.
   * `rate_limit` and `lock_timeout`: Stripe's two kinds of 429.
   */
  kind: "reset" | "slow" | "error" | "rate_limit" | "lock_timeout";
  /** `after`: the operation runs, and only its answer is lost, late or an error ("timeout after success"). */
  when: "before" | "after";
  status?: number;
  ms?: number;
  /** For how many requests; null until it is removed. */
  times: number | null;
  /** Only requests with this method, and with this beginning of the path. */
  method?: string;
  path?: string;
}

/** The fault that hits a request: the oldest that fits. It counts down. */
export const nextFault = (store: Store, method: string, path: string): Fault | undefined => {
  const fault = store
    .all<Fault>("faults")
    .find((one) => path.startsWith(one.path ?? "/") && (one.method ?? method) === method);
  if (fault === undefined || fault.times === null) return fault;
  const times = fault.times - 1;
  store.set("faults", fault.id, times > 0 ? { ...fault, times } : undefined);
  return fault;
};
