import { createServer, type Server } from "node:http";

/**
 * Plain HTTP for the kubelet and Prometheus. /healthz turns bad when a cache has done nothing, not even failed, for `silence`: an API
 * server that is away is no reason to start this process again, which would only ask for everything anew; /readyz is good once the caches are filled and the endpoint for workers listens.
 */
interface HealthOptions {
  /** Milliseconds of the clock at which each cache last did anything; 0: never. */
  turned: () => Record<string, number>;
  now: () => number;
  /** Milliseconds; also the grace after the start. */
  silence: number;
  ready: () => boolean;
  /** Those of one name, which differ by their labels, one after the other. */
  metrics: () => Metric[];
}

export interface Metric {
  name: string;
  help: string;
  type: "gauge" | "counter";
  value: number;
  labels?: Record<string, string>;
}

const metric =
  (type: Metric["type"]) =>
  (name: string, help: string, value: number, labels?: Record<string, string>): Metric => ({
    ...{ name, help, type, value },
    ...(labels && { labels }),
  });
export const gauge = metric("gauge");
export const counter = metric("counter");

const escaped = (text: string): string => text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");

/** Prometheus' text format. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, value, labels }, at) => {
    const named = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${escaped(text)}"`);
    const first = metrics[at - 1]?.name !== name;
    return [
      ...(first ? [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`] : []),
      `${name}${named.length > 0 ? `{${named.join(",")}}` : ""} ${value}`,
    ];
  });
  return `${lines.join("\n")}\n`;
}

export function silentCaches(turned: Record<string, number>, started: number, now: number, silence: number): string[] {
  return Object.entries(turned)
    .filter(([, at]) => now - Math.max(at, started) > silence)
    .map(([name]) => name);
}

export function createHealthServer(options: HealthOptions): Server {
  const started = options.now();
  return createServer((request, response) => {
    const reply = (status: number, text: string, type = "text/plain; charset=utf-8") => {
      response.writeHead(status, { "content-type": type });
      response.end(text);
    };
    if (request.url === "/healthz") {
      const silent = silentCaches(options.turned(), started, options.now(), options.silence);
      if (silent.length === 0) reply(200, "ok\n");
      else reply(503, `did nothing for too long: ${silent.join(", ")}\n`);
    } else if (request.url === "/readyz") {
      if (options.ready()) reply(200, "ok\n");
      else reply(503, "the caches are being filled\n");
    } else if (request.url === "/metrics") {
      reply(200, metricsText(options.metrics()), "text/plain; version=0.0.4; charset=utf-8");
    } else reply(404, "not found\n");
  });
}
