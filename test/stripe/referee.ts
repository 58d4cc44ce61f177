import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { readDescription } from "./description.ts";

/** One request to Stripe's API and its answer. */
export interface Exchange {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body: string;
  status: number;
  answer: unknown;
}

export interface Referee {
  url: string;
  stop(): Promise<void>;
}

/** Errors about the request itself; stripe-mock must see no fault in the request of any other answer. */
const malformed = new Set(["parameter_unknown", "parameter_invalid_integer", "parameter_invalid_empty"]);
const mockKey = "sk_test_123";

/**
 * Starts stripe-mock, and an HTTP server that holds exchanges and objects against Stripe's description. It is one process
 * for all test files: compiling the description takes two seconds. Its answer is a list of what is wrong.
 */
export const startReferee = async (program: string): Promise<Referee> => {
  const description = readDescription(program);
  const child = spawn(program, ["-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const mock = await listening(child.stdout);

  /** Whether stripe-mock takes the request. */
  const replay = async ({ method, path, headers, body }: Exchange): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${mock}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${mockKey}`,
        ...(headers["content-type"] === undefined ? {} : { "Content-Type": headers["content-type"] }),
        ...(headers["stripe-version"] === undefined ? {} : { "Stripe-Version": headers["stripe-version"] }),
      },
      ...(method === "POST" ? { body } : {}),
    });
    return { status: response.status, text: await response.text() };
  };

  const judge = async (exchange: Exchange): Promise<string[]> => {
    const { method, path, status, answer } = exchange;
    const what = `${method} ${path} ${status}`;
    const [bare = path] = path.split("?");
    const shape = description.answer(method, bare, status, answer);
    const { code = "", message = "", param = "" } = (answer as { error?: Partial<Record<string, string>> }).error ?? {};
    const unrecognized = message.startsWith("Unrecognized");
    const told = await replay(exchange);
    const refused = told.status >= 400;
    const expected = malformed.has(code) || unrecognized;
    const odd = refused && !expected ? [`stripe-mock refuses the request: ${told.text}`] : [];
    // It looks at names of the first level alone.
    const sees = code === "parameter_unknown" && !param.includes("[");
    const lax = !refused && sees ? ["stripe-mock takes this request"] : [];
    return [...shape.slice(0, 10), ...odd, ...lax].map((problem) => `${what}: ${problem}`);
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const value = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const judged = request.url === "/thing" ? Promise.resolve(description.thing(value).slice(0, 10)) : judge(value);
      judged
        .catch((error: unknown) => [String(error)])
        .then((problems) => response.end(JSON.stringify(problems)))
        .catch(() => response.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
};

const listening = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: output })) {
    const [, address] = /^Listening for HTTP at address: (\S+)/.exec(line) ?? [];
    if (address !== undefined) return `http://${address}`;
  }
  throw new Error("stripe-mock ended before it listened");
};
