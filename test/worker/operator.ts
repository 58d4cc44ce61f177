import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCa, makeServerCertificate } from "../../src/guard/certificate.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import {
  outcomeSchema,
  type Report,
  type RunOutcome,
  reportSchema,
  type WorkerAssignment,
} from "../../src/worker/protocol.ts";
import { until } from "./until.ts";

/** The operator's endpoint for workers as a test plays it: real HTTPS with a CA of its own, and scripted answers. */

export interface Asked {
  path: string;
  token: string;
  body: unknown;
  at: number;
}

/** Status to answer with; `drop` ends the connection without an answer. */
export type Reaction = number | "drop";

export interface PlayedOperator {
  url: string;
  ca: string;
  tokenFile: string;
  asked: Asked[];
  /** Answers the next requests to a path with these, one each, before it answers well again. */
  next(path: "work" | "progress" | "result", ...reactions: Reaction[]): void;
  /** From now on always, until `undefined`. */
  always(path: "work" | "progress" | "result", reaction: Reaction | undefined): void;
  token(text: string): void;
  /** Changes what `/work` is answered with. */
  answer(work: Partial<WorkerAssignment>): void;
  progress(): Report[];
  outcomes(): RunOutcome[];
  /** Stops listening and ends every connection; `up` listens on the same port again. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

/** A URL here may lead anywhere unless the test says otherwise: the databases of tests are on loopback. */
type PlayedLocation = WorkerAssignment["source"] | { url: string };
export type PlayedWork = Partial<Omit<WorkerAssignment, "source" | "target">> & {
  source: PlayedLocation;
  target: PlayedLocation;
};

const guarded = (location: PlayedLocation): WorkerAssignment["source"] =>
  "url" in location ? { guard: { allow: ["0.0.0.0/0", "::/0"], refuse: [] }, ...location } : location;

export async function playOperator(work: PlayedWork): Promise<PlayedOperator> {
  const ca = await makeCa("test", new Date());
  const server = await makeServerCertificate(ca, ["localhost", "127.0.0.1"], new Date());
  const folder = await mkdtemp(join(tmpdir(), "op-"));
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, "token-1\n");
  const asked: Asked[] = [];
  const queued = new Map<string, Reaction[]>();
  const standing = new Map<string, Reaction>();
  const answer: WorkerAssignment = {
    owner: "6f6d8f6a-0000-4000-8000-000000000001",
    ownerName: "Migration shop/shop",
    run: 1,
    reached: false,
    reset: false,
    made: [],
    options: optionsSchema.parse({}),
    ...work,
    source: guarded(work.source),
    target: guarded(work.target),
  };

  const listener = createServer({ cert: server.certificate, key: server.key }, async (request, response) => {
    const path = (request.url ?? "").slice(1);
    const body = JSON.parse(await textOf(request)) as unknown;
    const token = (request.headers.authorization ?? "").replace("Bearer ", "");
    asked.push({ path, token, body, at: performance.now() });
    const reaction = queued.get(path)?.shift() ?? standing.get(path) ?? (known(token, tokenFile) ? 200 : 401);
    if (reaction === "drop") return request.socket.destroy();
    response.writeHead(reaction, { "content-type": "application/json" });
    response.end(reaction === 200 ? JSON.stringify(path === "work" ? answer : {}) : '{"detail":"as scripted"}');
  });
  const listen = (port: number) => new Promise<void>((done) => listener.listen(port, "127.0.0.1", done));
  await listen(0);
  const { port } = listener.address() as AddressInfo;
  const down = () =>
    new Promise<void>((done) => {
      listener.close(() => done());
      listener.closeAllConnections();
    });
  const bodies = (path: string) => asked.filter((one) => one.path === path).map(({ body }) => body);

  return {
    url: `https://127.0.0.1:${port}`,
    ca: ca.certificate,
    tokenFile,
    asked,
    next: (path, ...reactions) => void queued.set(path, reactions),
    always: (path, reaction) => void (reaction === undefined ? standing.delete(path) : standing.set(path, reaction)),
    answer: (work) => void Object.assign(answer, work),
    token: (text) => writeFileSync(tokenFile, text),
    progress: () => bodies("progress").map((body) => reportSchema.parse(body)),
    outcomes: () => bodies("result").map((body) => outcomeSchema.parse(body)),
    down,
    up: () => listen(port),
    stop: async () => {
      if (listener.listening) await down();
    },
  };
}

function known(token: string, tokenFile: string): boolean {
  return token === readFileSync(tokenFile, "utf8").trim();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8") || "null";
}

export const asks = (operator: PlayedOperator, path: string, count = 1) =>
  until(`${count} requests to ${path}`, () => operator.asked.filter((one) => one.path === path).length >= count);
