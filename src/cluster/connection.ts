import { setMaxListeners } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { KubeConfig } from "@kubernetes/client-node";
import { present } from "../resources/present.ts";
import { ClusterError, refusal, unreachable } from "./errors.ts";

/**
 * The way to the API server: the library finds the configuration and the credentials (kubeconfig, in-cluster token,
 * exec plugins) anew for each request; the requests themselves are plain JSON over kept-alive connections.
 * The library's own clients make a new connection each time, and its informer has the traps of kubernetes.md.
 */
export interface Connection {
  /** Sends one request. Throws ClusterError. */
  send<T>(request: ApiRequest): Promise<T>;
  /** Yields the JSON lines of a watch until the server ends it; `opened` when the server has accepted it. Throws ClusterError. */
  lines(request: ApiRequest, opened?: () => void): AsyncGenerator<unknown>;
  close(): void;
}

export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  contentType?: string;
  /** Media types that are JSON; `application/json` without it. */
  accept?: string;
  /** Milliseconds until an answer must have begun and, unless it is a watch, ended. */
  timeout?: number;
  signal?: AbortSignal;
}

type Use = "requests" | "watches";

const usualTimeout = 30_000;

/** Milliseconds. Shorter than the 90 s after which the API server closes one: a write sent at that moment is lost, and nobody knows. */
const idleTime = 45_000;

/**
 * A signal that aborts with the outer one or after a time. Call `done` at the end: AbortSignal.any and AbortSignal.timeout
 * would keep native memory for each request until some later collection (225 MB after 180,000 of them, 88 MB in this way).
 */
function bounded(outer: AbortSignal | undefined, milliseconds: number) {
  const own = new AbortController();
  const abort = () => own.abort(outer?.reason);
  const timer = setTimeout(() => own.abort(new DOMException("the time ran out", "TimeoutError")), milliseconds);
  if (outer) {
    setMaxListeners(0, outer);
    outer.addEventListener("abort", abort);
    if (outer.aborted) abort();
  }
  return {
    signal: own.signal,
    begun: () => clearTimeout(timer),
    done() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", abort);
    },
  };
}

/**
 * `kubeconfig`: path of a file; without it the in-cluster service account, KUBECONFIG, or the user's own file. `idleTime`: milliseconds
 * after which a connection without a request is closed.
 */
export function connect(options: { kubeconfig?: string; userAgent?: string; idleTime?: number } = {}): Connection {
  const config = new KubeConfig();
  if (options.kubeconfig !== undefined) config.loadFromFile(options.kubeconfig);
  else if (process.env.KUBERNETES_SERVICE_HOST !== undefined && process.env.KUBECONFIG === undefined)
    config.loadFromCluster();
  else config.loadFromDefault();
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new ClusterError("NoCluster", 0, "no Kubernetes cluster is configured");
  const server = cluster.server.replace(/\/+$/, "");

  // New agents only when the credentials of the connection itself (CA, client certificate) changed. A watch holds its connection for
  // minutes: among those of the requests, as many as there may be would leave none.
  let agents: { of: string; requests: Agent; watches: Agent } | undefined;
  const closeAll = () => {
    agents?.requests.destroy();
    agents?.watches.destroy();
  };

  async function settings(use: Use): Promise<RequestOptions> {
    const found: RequestOptions = {};
    await config.applyToHTTPSOptions(found);
    if (cluster?.proxyUrl) return found;
    const { ca, cert, key, servername, rejectUnauthorized } = found;
    const of = [ca, cert, key, servername, rejectUnauthorized].map(String).join("\n");
    if (agents?.of !== of) {
      closeAll();
      const common = {
        keepAlive: true,
        keepAliveMsecs: 15_000,
        // The agent closes only one that waits for a request; a quiet watch stays open.
        timeout: options.idleTime ?? idleTime,
        ...present({ ca, cert, key, servername, rejectUnauthorized }),
      };
      agents = {
        of,
        // In a rush they are waited for: a new one takes longer, and both sides' processors, than the requests before.
        requests: new Agent({ ...common, maxSockets: 64, maxFreeSockets: 64 }),
        watches: new Agent(common),
      };
    }
    return { ...found, agent: agents[use] };
  }

  async function open(request: ApiRequest, signal: AbortSignal, use: Use): Promise<IncomingMessage> {
    const url = new URL(server + request.path);
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const { headers, ...rest } = await settings(use);
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    return new Promise((resolve, reject) => {
      const send = url.protocol === "http:" ? httpRequest : httpsRequest;
      const outgoing = send(
        url,
        {
          ...(url.protocol === "http:" ? {} : rest),
          method: request.method,
          signal,
          headers: {
            ...headers,
            accept: request.accept ?? "application/json",
            "user-agent": options.userAgent ?? "rowferry",
            ...(body === undefined
              ? {}
              : { "content-type": request.contentType ?? "application/json", "content-length": body.length }),
          },
        },
        resolve,
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  async function answer(request: ApiRequest, signal: AbortSignal, use: Use): Promise<IncomingMessage> {
    const response = await open(request, signal, use);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    throw refusal(status, await text(response), response.headers["retry-after"]);
  }

  return {
    async send<T>(request: ApiRequest) {
      const bound = bounded(request.signal, request.timeout ?? usualTimeout);
      try {
        return JSON.parse(await text(await answer(request, bound.signal, "requests"))) as T;
      } catch (error) {
        request.signal?.throwIfAborted();
        throw error instanceof ClusterError ? error : unreachable(error);
      } finally {
        bound.done();
      }
    },
    async *lines(request, opened) {
      const bound = bounded(request.signal, request.timeout ?? usualTimeout);
      let response: IncomingMessage | undefined;
      try {
        response = await answer(request, bound.signal, "watches");
        bound.begun();
        opened?.();
        response.setEncoding("utf8");
        for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY }))
          if (line !== "") yield JSON.parse(line) as unknown;
        if (!response.complete) throw new Error("the connection ended in the middle of a watch");
      } catch (error) {
        request.signal?.throwIfAborted();
        throw error instanceof ClusterError ? error : unreachable(error);
      } finally {
        bound.done();
        response?.destroy();
      }
    },
    close() {
      closeAll();
      agents = undefined;
    },
  };
}
