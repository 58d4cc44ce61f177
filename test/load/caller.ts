import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { connect, createSecureContext, type SecureContext } from "node:tls";
import { random } from "../chaos/random.ts";
import { type Asked, type Client, nextAsked } from "./mix.ts";
import { type Command, type Load, type Noted, unanswered } from "./records.ts";

/**
 * The callers, a process of its own so that nothing else disturbs what they measure. Requests begin when they are meant to, whatever
 * became of those before, and their time counts from then. Each client keeps connections of its own, as a Service spreads them: a new one goes to any
 * replica that is ready, and stays there.
 */

const now = () => performance.timeOrigin + performance.now();
/** Milliseconds after which a client begins with new connections, as programs come and go. */
const connectionsKept = 10_000;
/** Milliseconds after which a stream that ended is opened again, as its reader is told. */
const comeAgain = 2000;

let ports: readonly number[] = [];
const records: Noted[] = [];
let underWay = 0;

/** A client's connections; `done` closes them once nothing is on its way there. */
interface Line {
  agent: Agent;
  born: number;
  busy: number;
  retired: boolean;
}

/** By port, as an agent of Node and a browser keep them. */
const sessions = new Map<number, Buffer>();

function newLine(secureContext: SecureContext, port: () => number): Line {
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = () => {
    const to = port();
    const session = sessions.get(to);
    const known = session === undefined ? {} : { session };
    return connect({ host: "127.0.0.1", port: to, servername: "localhost", secureContext, ...known }).once(
      "session",
      (next: Buffer) => sessions.set(to, next),
    );
  };
  return { agent, born: now(), busy: 0, retired: false };
}

interface Sent {
  token: string;
  asked: Asked;
  headers?: Record<string, string>;
}

function send(
  line: Line,
  { token, asked, headers }: Sent,
  answered: (response: IncomingMessage) => void,
): ClientRequest {
  const content = asked.body === undefined ? undefined : JSON.stringify(asked.body);
  const sent = request(
    {
      host: "localhost",
      agent: line.agent,
      path: asked.path,
      method: content === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${token}`,
        ...(content === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(Buffer.byteLength(content)) }),
        ...headers,
      },
    },
    answered,
  );
  sent.end(content);
  return sent;
}

function begin(load: Load): { end(): Promise<void> } {
  const chance = random(load.seed);
  const trusted = createSecureContext({ ca: load.ca });
  const port = (): number => (ports.length === 0 ? 1 : chance.pick(ports));
  const clients = load.clients.map((client) => ({ client, line: newLine(trusted, port) }));
  type Known = (typeof clients)[number];
  let over = false;

  const release = (line: Line) => {
    line.busy -= 1;
    if (line.retired && line.busy === 0) line.agent.destroy();
  };
  const lineOf = (known: Known): Line => {
    if (now() - known.line.born > connectionsKept * (0.75 + chance.next() / 2)) {
      known.line.retired = true;
      if (known.line.busy === 0) known.line.agent.destroy();
      known.line = newLine(trusted, port);
    }
    known.line.busy += 1;
    return known.line;
  };

  /** Asks, and notes how long it took from when it was meant to begin. */
  function ask(known: Known, asked: Asked, meant: number): void {
    const line = lineOf(known);
    underWay += 1;
    const settle = (failed?: string, text = "") => {
      clearTimeout(timer);
      if (settled) return;
      settled = true;
      underWay -= 1;
      release(line);
      records.push({
        operation: asked.operation,
        at: meant,
        ms: now() - meant,
        ...(failed === undefined ? {} : { failed }),
      });
      if (failed === undefined && asked.operation === "createMigration") readBack(known.client, text);
    };
    let settled = false;
    const answered = (status: number | undefined, text: string) =>
      status === asked.expects ? settle(undefined, text) : settle(`status ${status}: ${text.slice(0, 500)}`);
    const sent = send(line, { token: known.client.token, asked }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
      response.once("end", () => answered(response.statusCode, Buffer.concat(parts).toString("utf8")));
    });
    sent.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    const timer = setTimeout(() => {
      settle(unanswered);
      sent.destroy();
    }, load.patience);
  }

  /** What was just made is there, on whichever replica the next connection leads to. */
  function readBack({ token, team, ...client }: Client, text: string): void {
    const { migration } = JSON.parse(text) as { migration: { id: string } };
    const known = { client: { token, team, ...client }, line: newLine(trusted, port) };
    known.line.retired = true;
    ask(known, { operation: "getCreated", path: `/api/migrations/${migration.id}`, expects: 200 }, now());
  }

  const streams = new Set<ClientRequest>();
  /** Reads the events of a Migration, again and again, from where the last stream ended. */
  function listen(client: Client, id: string, last: string): void {
    if (over) return;
    const line = newLine(trusted, port);
    let seen = last;
    let ended = false;
    const began = now();
    const note = (failed?: string) =>
      records.push({
        operation: failed === undefined ? "openStream" : "streamMigrationEvents",
        at: failed === undefined ? began : now(),
        ms: failed === undefined ? now() - began : 0,
        ...(failed === undefined ? {} : { failed }),
      });
    const finish = (failed?: string) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      streams.delete(sent);
      line.agent.destroy();
      if (over) return;
      if (failed !== undefined) note(failed);
      setTimeout(listen, comeAgain * chance.next(), client, id, seen);
    };
    const asked = { operation: "streamMigrationEvents", path: `/api/migrations/${id}/events`, expects: 200 };
    const headers = { accept: "text/event-stream", ...(last === "" ? {} : { "last-event-id": last }) };
    const sent = send(line, { token: client.token, asked, headers }, (response) => {
      let refusal = "";
      clearTimeout(timer);
      const refused = response.statusCode !== 200;
      if (!refused) note();
      response.setEncoding("utf8").on("data", (text: string) => {
        if (refused) refusal += text;
        seen = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? seen;
      });
      response.once("error", (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
      response.once("end", () => finish(refused ? `status ${response.statusCode}: ${refusal}` : undefined));
    });
    sent.once("error", (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
    const timer = setTimeout(() => {
      finish(unanswered);
      sent.destroy();
    }, load.patience);
    streams.add(sent);
  }

  let next = now();
  let timer: NodeJS.Timeout | undefined;
  const fire = () => {
    while (next <= now()) {
      // A machine that cannot keep up gets no more than it can do, where nothing is timed.
      if (underWay >= (load.mostAtOnce ?? Number.POSITIVE_INFINITY)) {
        next = now() + 5;
        break;
      }
      const known = chance.pick(clients);
      ask(known, nextAsked(known.client, chance), next);
      // Arrivals that know nothing of each other.
      next += (-Math.log(1 - chance.next()) * 1000) / load.rate;
    }
    timer = setTimeout(fire, Math.max(0, next - now()));
  };
  const waits = clients.flatMap(({ client }) => client.waits.map((id) => ({ client, id })));
  for (const { client, id } of waits.slice(0, load.streams)) listen(client, id, "");
  fire();

  return {
    async end() {
      over = true;
      clearTimeout(timer);
      while (underWay > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const stream of streams) stream.destroy();
    },
  };
}

let running: { end(): Promise<void> } | undefined;
process.on("message", (command: Command) => {
  if (command.ports !== undefined) ports = command.ports;
  if (command.load !== undefined) running = begin(command.load);
  if (command.stop === true)
    void running?.end().then(() => process.send?.(records, undefined, undefined, () => process.exit(0)));
});
// Whoever started it is gone.
process.once("disconnect", () => process.exit(1));
