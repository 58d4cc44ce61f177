// What `kubectl logs` asks a kubelet for, through the API server: mutual TLS, one path.
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

export type LogsOptions = {
  /** PEM. The CA signs the API server's certificate too. */
  tls: { ca: string; cert: string; key: string };
  /** The log file of a pod that is here; undefined: it is not. */
  fileOf(namespace: string, pod: string): string | undefined;
};

const lastLines = (text: string, count: number): string =>
  text
    .split("\n")
    .slice(-count - 1)
    .join("\n");

const copyFrom = (file: string, start: number, response: ServerResponse): Promise<number> =>
  new Promise((resolve, reject) => {
    const end = statSync(file).size;
    if (end <= start) return resolve(start);
    createReadStream(file, { start, end: end - 1 })
      .on("error", reject)
      .on("end", () => resolve(end))
      .pipe(response, { end: false });
  });

async function sendLog(
  file: string,
  query: URLSearchParams,
  response: ServerResponse,
  there: () => boolean,
): Promise<void> {
  const text = readFileSync(file, "utf8");
  const tail = query.get("tailLines");
  response.writeHead(200, { "content-type": "text/plain" });
  response.write(tail === null ? text : lastLines(text, Number(tail)));
  let at = Buffer.byteLength(text);
  while (query.get("follow") === "true" && there() && !response.destroyed) {
    await sleep(200);
    if (existsSync(file)) at = await copyFrom(file, at, response);
  }
  response.end();
}

/** Not listening yet. */
export const openLogs = ({ tls, fileOf }: LogsOptions): Server =>
  createServer({ ...tls, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://kubelet");
    const [, word, namespace = "", pod = ""] = pathname.split("/");
    const file = word === "containerLogs" ? fileOf(namespace, pod) : undefined;
    if (file === undefined || !existsSync(file)) {
      response.writeHead(404).end(word === "containerLogs" ? "no log yet\n" : "Only logs are served here.\n");
      return;
    }
    sendLog(file, searchParams, response, () => fileOf(namespace, pod) !== undefined).catch(() => response.destroy());
  });
