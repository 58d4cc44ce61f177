import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange } from "./referee.ts";

/** Stands between the SDK and the simulator, and shows the referee every exchange that had an answer. */
export interface Recorder {
  port: number;
  /** What the referee found so far; waits for its answers. */
  problems(): Promise<string[]>;
  close(): Promise<void>;
}

export const startRecorder = async (target: { host: string; port: number }, referee: string): Promise<Recorder> => {
  const judged: Promise<string[]>[] = [];

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const { method = "GET", url = "/", headers } = request;
      const onward = send({ ...target, method, path: url, headers, agent: false }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => {
          const text = Buffer.concat(parts);
          const status = answer.statusCode ?? 0;
          const exchange = { method, path: url, headers: flat(headers), body: body.toString("utf8"), status };
          judged.push(
            ask(referee, "/exchange", { ...exchange, answer: JSON.parse(text.toString("utf8")) } satisfies Exchange),
          );
          response.writeHead(status, answer.headers).end(text);
        });
        answer.on("error", () => response.destroy());
      });
      onward.on("error", () => response.destroy());
      onward.end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async problems() {
      return (await Promise.all(judged)).flat();
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** What is wrong, by the referee. */
export const ask = async (referee: string, path: "/exchange" | "/thing", value: unknown): Promise<string[]> => {
  const response = await fetch(`${referee}${path}`, { method: "POST", body: JSON.stringify(value) });
  return (await response.json()) as string[];
};

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
