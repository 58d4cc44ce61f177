import { Agent } from "node:https";
import { type JsonAnswer, postJson } from "../guard/post-json.ts";
import { asJson } from "../requests/as-json.ts";
import { Problem } from "../requests/errors.ts";
import type { ProbedDatabase, ProbeFor, Prober } from "../requests/prober.ts";
import type { Options } from "../resources/options.ts";
import {
  accountHeader,
  type CallKind,
  callSchemas,
  deadlines,
  largestResponse,
  type ProbeCall,
  type ResponseOf,
  refusalSchema,
  requestIdHeader,
  responseSchemas,
} from "./protocol.ts";
import type { TlsFiles } from "./tls-files.ts";

/** The API's way to the prober: one HTTPS request for each probe, by the API's own certificate, over connections that are kept. */

interface ClientOptions {
  /** `https://rowferry-prober.<namespace>.svc:8443`. */
  url: string;
  /** The API's certificate and the operator's CA; asked for each call, since they are renewed. */
  tls(): TlsFiles;
  /** Milliseconds that the prober may take, by kind; as it is set itself. */
  deadlines?: Record<CallKind, number>;
}

/** Without `asked` a call is nobody's, as a test's may be. */
export interface ProberClient extends Prober {
  preflight(
    pair: Parameters<Prober["preflight"]>[0],
    options: Options,
    asked?: ProbeFor,
  ): ReturnType<Prober["preflight"]>;
  measure(source: ProbedDatabase, asked?: ProbeFor): ReturnType<Prober["measure"]>;
  test(database: ProbedDatabase, asked?: ProbeFor): ReturnType<Prober["test"]>;
  target(database: ProbedDatabase, asked?: ProbeFor): ReturnType<Prober["target"]>;
  close(): void;
}

const busyWords = new Map([
  ["busy", "Too many database checks at a time: retry in a few seconds."],
  [
    "account_busy",
    "Your account has reached its limit of database checks at a time: wait until one has finished, and retry.",
  ],
]);

/** For the way there and back, and the prober's own last second. */
const marginMs = 2_000;
const mostSockets = 64;

const bound = { most: largestResponse, tooLarge: "the prober's answer is too large" };

/** A connection that the other side had closed: nothing of the request was taken. */
function isStale(error: unknown): boolean {
  const { reusedSocket, code } = error as NodeJS.ErrnoException & { reusedSocket?: boolean };
  return reusedSocket === true && (code === "ECONNRESET" || code === "EPIPE");
}

export function createProberClient({ url, tls, deadlines: given = deadlines }: ClientOptions): ProberClient {
  let known: TlsFiles | undefined;
  let agent: Agent | undefined;

  const agentNow = (): Agent => {
    const files = tls();
    if (agent !== undefined && known?.cert === files.cert && known.key === files.key && known.ca === files.ca)
      return agent;
    // Its idle connections go; what runs on it ends by itself.
    const before = agent;
    known = files;
    agent = new Agent({
      ...files,
      keepAlive: true,
      maxSockets: mostSockets,
      minVersion: "TLSv1.3",
      scheduling: "lifo",
    });
    if (before !== undefined) setTimeout(() => before.destroy(), Math.max(...Object.values(given)) + marginMs).unref();
    return agent;
  };

  async function ask<K extends CallKind>(
    kind: K,
    call: Omit<ProbeCall & { kind: K }, "kind">,
    asked: ProbeFor | undefined,
  ): Promise<ResponseOf<K>> {
    const body = JSON.stringify(callSchemas[kind].parse(call));
    const late = AbortSignal.timeout(given[kind] + marginMs);
    // Who asked has gone: the probe ends with the connection.
    const signal = asked === undefined ? late : AbortSignal.any([late, asked.signal]);
    const headers = asked === undefined ? {} : { [requestIdHeader]: asked.requestId, [accountHeader]: asked.account };
    const send = () => postJson(new URL(`/${kind}`, url), body, { agent: agentNow(), headers, signal }, bound);
    let answer: JsonAnswer;
    try {
      answer = await send().catch((error: unknown) => {
        if (isStale(error)) return send();
        throw error;
      });
    } catch (cause) {
      throw unavailable("the service that asks databases does not answer: try again in a moment", cause);
    }
    if (answer.status === 200) return understood(kind, answer.text);
    const refusal = refusalSchema.safeParse(asJson(answer.text));
    const words = answer.status === 503 ? busyWords.get(refusal.data?.code ?? "") : undefined;
    if (words !== undefined)
      throw new Problem("busy", words, { retryAfter: Number(answer.headers["retry-after"] ?? 1) || 1 });
    throw unavailable(
      "the service that asks databases cannot be used at the moment: try again later",
      new Error(`the prober returned ${answer.status} ${refusal.data?.code ?? ""}: ${refusal.data?.message ?? ""}`),
    );
  }

  return {
    preflight: ({ source, target }, options, asked) => ask("preflight", { source, target, options }, asked),
    measure: (source, asked) => ask("measure", { source }, asked),
    test: (database, asked) => ask("test", { database }, asked),
    target: (database, asked) => ask("target", { database }, asked),
    close: () => agent?.destroy(),
  };
}

const unavailable = (detail: string, cause: unknown) => new Problem("unavailable", detail, { retryAfter: 5, cause });

function understood<K extends CallKind>(kind: K, text: string): ResponseOf<K> {
  const parsed = responseSchemas[kind].safeParse(asJson(text));
  if (!parsed.success)
    throw unavailable("the service that asks databases cannot be used at the moment: try again later", parsed.error);
  return parsed.data as ResponseOf<K>;
}
