import { readFile } from "node:fs/promises";
import { Agent } from "node:https";
import { postJson } from "../guard/post-json.ts";
import { type AnyWork, anyWorkSchema, protocol, type Report, type RunOutcome } from "./protocol.ts";

/** The worker's client of the operator: one HTTPS request for each call of the protocol. Nothing here retries; callers know how long. */

export type OperatorResponse<T> =
  | { kind: "ok"; body: T }
  /** This pod is not, or no longer, the current run's: stop. */
  | { kind: "superseded" }
  /** Nothing was learnt: the operator is unreachable, overloaded or restarting, or the token is just being renewed. */
  | { kind: "unreachable"; why: string }
  /** The operator understood and will not take it; the same request would be refused again. */
  | { kind: "refused"; why: string };

export interface OperatorClient {
  work(signal: AbortSignal): Promise<OperatorResponse<AnyWork>>;
  progress(report: Report, signal: AbortSignal): Promise<OperatorResponse<null>>;
  result(outcome: RunOutcome, signal: AbortSignal): Promise<OperatorResponse<null>>;
  close(): void;
}

interface Settings {
  url: string;
  /** PEM of the operator's own CA; no other is trusted. */
  ca: string;
  /** Read anew for each request: the kubelet renews the token. */
  tokenFile: string;
  /** Told each token, so that it can be taken out of what is written. */
  learn(token: string): void;
  requestTimeoutMs?: number;
}

/** An answer to `/work` lists the objects made by earlier runs, which may be many. */
const bound = { most: 8 * 1024 * 1024, tooLarge: "the operator's answer is too large" };
const refusals = new Set([400, 413, 415, 422]);

export function createOperatorClient({
  url,
  ca,
  tokenFile,
  learn,
  requestTimeoutMs = 10_000,
}: Settings): OperatorClient {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 2 });

  async function post(path: string, body: unknown, signal: AbortSignal): Promise<OperatorResponse<unknown>> {
    try {
      const token = (await readFile(tokenFile, "utf8")).trim();
      learn(token);
      const timed = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
      const headers = { authorization: `Bearer ${token}`, [protocol.header]: String(protocol.version) };
      const to = new URL(path, withSlash(url));
      const { status, text } = await postJson(to, JSON.stringify(body), { agent, headers, signal: timed }, bound);
      if (status === 409) return { kind: "superseded" };
      if (status >= 200 && status < 300) return { kind: "ok", body: text === "" ? null : JSON.parse(text) };
      const why = `status ${status}: ${text.slice(0, 300)}`;
      return refusals.has(status) ? { kind: "refused", why } : { kind: "unreachable", why };
    } catch (error) {
      return { kind: "unreachable", why: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    async work(signal) {
      const answer = await post("work", {}, signal);
      if (answer.kind !== "ok") return answer;
      const parsed = anyWorkSchema.safeParse(answer.body);
      // Neither the body nor zod's received values may be repeated: they hold connection URLs.
      const paths = () => parsed.error?.issues.map((issue) => issue.path.join(".")).join(", ");
      return parsed.success
        ? { kind: "ok", body: parsed.data }
        : { kind: "unreachable", why: `the operator's answer is not understood (${paths()})` };
    },
    progress: async (report, signal) => withoutBody(await post("progress", report, signal)),
    result: async (outcome, signal) => withoutBody(await post("result", outcome, signal)),
    close: () => agent.destroy(),
  };
}

function withoutBody(answer: OperatorResponse<unknown>): OperatorResponse<null> {
  return answer.kind === "ok" ? { kind: "ok", body: null } : answer;
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
