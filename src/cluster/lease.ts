import { kinds, type Lease } from "../resources/objects.ts";
import type { Client } from "./client.ts";
import { alreadyExists, ClusterError, isConflict } from "./errors.ts";
import { pause } from "./informer.ts";

/**
 * Leader election by a Lease. At most one holder acts: a term's signal aborts before the Lease could have run out for
 * anybody else, measured on this machine's clock from before the renewal that counted was sent; another holder's Lease is
 * taken only when it has not changed for its whole duration, as seen from here (clocks of machines are not compared).
 */
interface ElectionOptions {
  client: Client;
  namespace: string;
  name: string;
  identity: string;
  /** Milliseconds. */
  duration: number;
  /** Runs a term; ends soon after its signal aborts. When it ends by itself, the Lease is given up. */
  lead: (term: AbortSignal) => Promise<void>;
  /** Steady milliseconds. */
  now: () => number;
  /** Wall clock, for the Lease's own fields. */
  wall: () => Date;
  random: () => number;
  signal: AbortSignal;
  problem: (error: unknown) => void;
}

/** Kubernetes refuses a Lease time without microseconds. */
export const microTime = (date: Date): string => date.toISOString().replace("Z", "000Z");

export async function runElection(options: ElectionOptions): Promise<void> {
  const { client, namespace, name, identity, duration, now, signal } = options;
  const pauseFor = duration / 5;
  let seen: { version: string | undefined; since: number } | undefined;

  const spec = (before: Lease | undefined): NonNullable<Lease["spec"]> => {
    const time = microTime(options.wall());
    const same = before?.spec?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(duration / 1000),
      acquireTime: same ? (before?.spec?.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (before?.spec?.leaseTransitions ?? 0) + (same || before === undefined ? 0 : 1),
    };
  };

  /** Tries to hold the Lease; answers the saved one, or undefined when it is another's. */
  async function take(): Promise<Lease | undefined> {
    const lease = await client.get(kinds.leases, namespace, name);
    try {
      if (lease === undefined)
        return await client.create(kinds.leases, { metadata: { name, namespace }, spec: spec(undefined) });
      if (seen === undefined || seen.version !== lease.metadata.resourceVersion)
        seen = { version: lease.metadata.resourceVersion, since: now() };
      const holder = lease.spec?.holderIdentity;
      const lasts = (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
      if (holder && holder !== identity && now() - seen.since < lasts) return undefined;
      return await client.update(kinds.leases, { metadata: lease.metadata, spec: spec(lease) });
    } catch (error) {
      if (isConflict(error) || alreadyExists(error)) return undefined;
      throw error;
    }
  }

  /** Renews until it cannot: then the term ends, at the latest at two thirds of the duration after the last success. */
  async function hold(first: Lease, heldSince: number): Promise<void> {
    const term = new AbortController();
    const deadline = (from: number) =>
      setTimeout(
        () => term.abort(new ClusterError("LeaseLost", 0, "the lease ran out")),
        from + (duration * 2) / 3 - now(),
      );
    let timer = deadline(heldSince);
    const outer = () => term.abort(signal.reason);
    signal.addEventListener("abort", outer);
    if (signal.aborted) outer();
    const leading = options.lead(term.signal).finally(() => term.abort());
    let lease = first;
    while (!term.signal.aborted) {
      await pause(pauseFor * (0.8 + 0.4 * options.random()), term.signal);
      if (term.signal.aborted) break;
      const asked = now();
      try {
        lease = await client.update(kinds.leases, { metadata: lease.metadata, spec: spec(lease) });
        clearTimeout(timer);
        timer = deadline(asked);
      } catch (error) {
        options.problem(error);
        if (isConflict(error)) {
          const live = await client.get(kinds.leases, namespace, name).catch(() => undefined);
          if (live && live.spec?.holderIdentity !== identity) term.abort(error);
          else if (live) lease = live;
        }
      }
    }
    clearTimeout(timer);
    signal.removeEventListener("abort", outer);
    await leading;
    // Given up only after the last effect, so that the next leader starts at once and never beside this one.
    await client
      .update(kinds.leases, {
        metadata: lease.metadata,
        spec: { ...spec(lease), holderIdentity: "", leaseDurationSeconds: 1 },
      })
      .catch(() => undefined);
    seen = undefined;
  }

  while (!signal.aborted) {
    const asked = now();
    const lease = await take().catch((error: unknown) => {
      options.problem(error);
      return undefined;
    });
    if (lease) await hold(lease, asked);
    else await pause(pauseFor * (0.8 + 0.4 * options.random()), signal);
  }
}
