// The few questions that `dev/` asks the API server itself, without a client library: they run every few milliseconds
// while the cluster starts.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { failure } from "../../terminal/failure.ts";

/** GET of one path: the body of a 200, or null for anything else, a refused connection included. */
export type Ask = (path: string) => Promise<string | null>;

/** Asks at `https://<address>:6443` with the administrator's certificate from the cluster's `pki` folder. */
export const openApi = (address: string, pki: string): { ask: Ask; close: () => void } => {
  const file = (name: string): Buffer => readFileSync(join(pki, name));
  const agent = new Agent({ keepAlive: true, ca: file("ca.crt"), cert: file("admin.crt"), key: file("admin.key") });
  const ask: Ask = (path) =>
    new Promise((resolve) => {
      const call = request({ host: address, port: 6443, path, agent, timeout: 2_000 }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => resolve(response.statusCode === 200 ? Buffer.concat(parts).toString() : null));
        response.on("error", () => resolve(null));
      });
      call.on("timeout", () => call.destroy());
      call.on("error", () => resolve(null));
      call.end();
    });
  return { ask, close: () => agent.destroy() };
};

export type WaitOptions = { limitMs: number; everyMs?: number; signal?: AbortSignal; check?: () => void };

/** What did not come about, as a sentence without its full stop, and the next step. */
export type WaitWords = { what: string; next: string };

/** While a cluster starts: its folder goes after a failure, and the ends of its logs are in the command's own. */
export const whileStarting = (what: string): WaitWords => ({
  what,
  next: "The log has the last lines of each program under `==`. Fix the cause, then run the command again. A busy machine may only need another try.",
});

/** Asks `met` until it says true. `check` runs between and may throw to give up early. Rejects after `limitMs`. */
export const until = async (
  { what, next }: WaitWords,
  met: () => Promise<boolean>,
  options: WaitOptions,
): Promise<void> => {
  const end = performance.now() + options.limitMs;
  while (!(await met())) {
    options.signal?.throwIfAborted();
    options.check?.();
    if (performance.now() > end) throw failure(`${what} within ${options.limitMs / 1000} s`, next);
    await sleep(options.everyMs ?? 50, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
};

type Named = { status?: { conditions?: { type: string; status: string }[] }; spec?: { taints?: unknown[] } };

/** Whether the node is Ready and, where `untainted`, open to every pod. */
export const nodeReady = async (ask: Ask, node: string, untainted: boolean): Promise<boolean> => {
  const body = await ask(`/api/v1/nodes/${node}`);
  if (body === null) return false;
  const { status, spec } = JSON.parse(body) as Named;
  const ready =
    status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;
  return ready && (!untainted || (spec?.taints ?? []).length === 0);
};

/** Whether a GET of a plain HTTP address gets a 2xx within a second. */
export const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    (response) => response.ok,
    () => false,
  );
