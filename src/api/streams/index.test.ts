import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { StreamEvent } from "../openapi/operation.ts";
import { eventText, writeStream } from "./index.ts";

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

/** A server whose only answer is written by `answer`, and its reader. */
async function connected(answer: (response: ServerResponse) => Promise<void>) {
  const written = Promise.withResolvers<void>();
  // Told to whoever awaits it, which may be later.
  written.promise.catch(() => {});
  const server = createServer((_request, response) => {
    answer(response).then(written.resolve, written.reject);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sent = request({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const reader = await new Promise<IncomingMessage>((resolve) => {
    sent.once("response", resolve);
    sent.end();
  });
  reader.on("error", () => {});
  closes.push(async () => {
    reader.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { reader, written: written.promise };
}

const textOf = async (reader: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const part of reader.setEncoding("utf8")) text += part;
  return text;
};

const times = { heartbeat: 60_000, stalled: 60_000 };
async function* of(...events: StreamEvent[]) {
  yield* events;
}

describe("the text of an event", () => {
  test.each<[StreamEvent, string]>([
    [{ id: "7", event: "status", data: { a: 1 } }, 'id: 7\nevent: status\ndata: {"a":1}\n\n'],
    [{ event: "log", data: "two\nlines" }, 'event: log\ndata: "two\\nlines"\n\n'],
    [{ id: "7\ndata: forged", event: "a\r\nb", data: null }, "id: 7 data: forged\nevent: a b\ndata: null\n\n"],
  ])("%j", (event, text) => {
    expect(eventText(event)).toBe(text);
  });
});

test("Events come in their order, and the stream ends with its source", async () => {
  const { reader, written } = await connected((response) =>
    writeStream(
      response,
      () => of({ event: "a", data: 1 }, { event: "b", data: 2 }),
      new AbortController().signal,
      times,
    ),
  );
  expect(await textOf(reader)).toBe("retry: 2000\n\nevent: a\ndata: 1\n\nevent: b\ndata: 2\n\n");
  await written;
});

test("A quiet stream has a comment again and again", async () => {
  const ends = new AbortController();
  const { reader, written } = await connected((response) =>
    writeStream(
      response,
      async function* (signal) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      },
      ends.signal,
      { ...times, heartbeat: 5 },
    ),
  );
  let text = "";
  reader.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    if (text.endsWith(": \n\n: \n\n")) ends.abort();
  });
  await written;
  expect(text).toMatch(/^retry: 2000\n\n(: \n\n){2,}$/);
});

test("The next event is asked for only when the reader took the last, and a reader who takes nothing is dropped", async () => {
  let asked = 0;
  const large = "x".repeat(1 << 20);
  const { reader, written } = await connected((response) =>
    writeStream(
      response,
      async function* () {
        for (;;) {
          asked += 1;
          yield { event: "large", data: large };
        }
      },
      new AbortController().signal,
      { ...times, stalled: 200 },
    ),
  );
  reader.pause();
  await written;
  // What fits into the sockets' buffers, and no more.
  expect(asked).toBeLessThan(20);
});

test("The source is told when the reader goes", async () => {
  let told = false;
  const { reader, written } = await connected((response) =>
    writeStream(
      response,
      async function* (signal) {
        yield { event: "a", data: 1 };
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        told = true;
      },
      new AbortController().signal,
      times,
    ),
  );
  await new Promise((resolve) => reader.once("data", resolve));
  reader.destroy();
  await written;
  expect(told).toBe(true);
});

test("A source that fails is told to whoever wrote it", async () => {
  const { written } = await connected((response) =>
    writeStream(
      response,
      // biome-ignore lint/correctness/useYield: it fails before it has anything to tell
      async function* () {
        throw new Error("lost");
      },
      new AbortController().signal,
      times,
    ),
  );
  await expect(written).rejects.toThrow("lost");
});
