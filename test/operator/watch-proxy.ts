import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { caFile } from "../../dev/cluster/processes/control-plane.ts";
import type { PlaneClient } from "./control-plane.ts";

/** Between an operator and its API server: holds back or refuses the watches of one kind, and counts what is asked for. */
export interface WatchProxy {
  /** Plain HTTP; the credentials are passed on. */
  url: string;
  /** The open watches of this plural say nothing more, as behind a broken middlebox; those that are opened later work. */
  freeze(plural: string): void;
  /** Cuts the watches of this plural and refuses new ones with 429, until `undefined`. */
  refuse(plural: string | undefined, retryAfter?: number): void;
  /** How often this plural was listed and watched. */
  asked(plural: string): { lists: number; watches: number };
  close(): Promise<void>;
}

export async function startWatchProxy(plane: PlaneClient): Promise<WatchProxy> {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(join(plane.folder, caFile)) });
  const open = new Map<string, Set<{ from: IncomingMessage; to: ServerResponse }>>();
  const counts = new Map<string, { lists: number; watches: number }>();
  let refused: { plural: string; retryAfter: number } | undefined;

  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", plane.server);
    const plural = url.pathname.split("/").at(-1) ?? "";
    const isWatch = url.searchParams.get("watch") === "true";
    if (incoming.method === "GET") {
      const count = counts.get(plural) ?? { lists: 0, watches: 0 };
      counts.set(plural, { ...count, [isWatch ? "watches" : "lists"]: count[isWatch ? "watches" : "lists"] + 1 });
    }
    if (isWatch && refused?.plural === plural) {
      outgoing.writeHead(429, { "retry-after": String(refused.retryAfter) }).end("too many requests");
      return;
    }
    const { host: _host, ...headers } = incoming.headers;
    const onward = request(url, { agent, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      const one = { from: answer, to: outgoing };
      if (isWatch) open.set(plural, (open.get(plural) ?? new Set()).add(one));
      answer.on("close", () => {
        open.get(plural)?.delete(one);
        if (!answer.complete) outgoing.destroy();
      });
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    freeze(plural) {
      for (const { from, to } of open.get(plural) ?? []) {
        from.unpipe(to);
        from.pause();
      }
    },
    refuse(plural, retryAfter = 1) {
      refused = plural === undefined ? undefined : { plural, retryAfter };
      for (const { to } of open.get(plural ?? "") ?? []) to.destroy();
    },
    asked: (plural) => counts.get(plural) ?? { lists: 0, watches: 0 },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

/** A copy of a kubeconfig that leads through the proxy, which is plain HTTP. */
export function throughProxy(kubeconfig: string, { url }: Pick<WatchProxy, "url">): string {
  const path = `${kubeconfig}.${new URL(url).port}`;
  const config = JSON.parse(readFileSync(kubeconfig, "utf8")) as { clusters: [{ cluster: object }] };
  config.clusters[0].cluster = { server: url, "insecure-skip-tls-verify": true };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
