import type { Endpoint } from "../engine/contract/index.ts";
import { parseDatabaseUrl } from "../guard/url.ts";
import { workerEnv } from "./protocol.ts";

/**
 * The throw-away server of this pod: the Job starts it beside the worker and names its URL. Only loopback is accepted, so that
 * the variable leads nowhere else.
 */
export async function ownServer(_signal: AbortSignal): Promise<Endpoint> {
  const url = process.env[workerEnv.verifyUrl];
  if (url === undefined || url === "") throw new Error("the pod has no throw-away server");
  const parsed = parseDatabaseUrl(url, {});
  return { ...parsed, guard: { allow: ["127.0.0.0/8"], refuse: ["0.0.0.0/0", "::/0"] } };
}
