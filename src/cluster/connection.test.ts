import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { anyCertificate } from "../../test/prober/certificates.ts";
import { type Connection, connect } from "./connection.ts";

let server: Server;
let connection: Connection;
let folder: string;
afterEach(async () => {
  connection.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** A server that never closes an idle connection itself, and a connection to it that keeps one for so many milliseconds. */
async function connected(idleTime: number) {
  let open = 0;
  const watches: ServerResponse[] = [];
  server = createServer({ ...(await anyCertificate()), keepAliveTimeout: 0 }, ({ url }, response) => {
    if (url?.startsWith("/watch")) {
      watches.push(response);
      response.write("1\n");
    } else response.end("{}");
  });
  server.on("secureConnection", (socket) => {
    open += 1;
    socket.on("close", () => (open -= 1));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  folder = await mkdtemp(join(tmpdir(), "connection-"));
  const kubeconfig = join(folder, "config");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(
    kubeconfig,
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: url, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: {} }],
    }),
  );
  connection = connect({ kubeconfig, idleTime });
  return { open: () => open, watches };
}

test("a connection that waits for a request is closed before the API server would close it", async () => {
  const { open } = await connected(200);
  await Promise.all([1, 2, 3].map(() => connection.send({ method: "GET", path: "/" })));
  expect(open()).toBe(3);
  await expect.poll(open, { timeout: 10_000 }).toBe(0);
  expect(await connection.send({ method: "POST", path: "/" })).toEqual({});
});

test("a watch that is quiet for longer stays open", async () => {
  const { open, watches } = await connected(100);
  const lines = connection.lines({ method: "GET", path: "/watch" });
  expect((await lines.next()).value).toBe(1);
  await connection.send({ method: "GET", path: "/" });
  // The other has been idle for as long as it may be, and the watch for longer.
  await expect.poll(open, { timeout: 10_000 }).toBe(1);
  watches[0]?.end("2\n");
  expect((await lines.next()).value).toBe(2);
  expect((await lines.next()).done).toBe(true);
});

test("however many watches there are, they leave the requests their connections", async () => {
  await connected(10_000);
  const all = Array.from({ length: 100 }, () => connection.lines({ method: "GET", path: "/watch" }));
  const begun = await Promise.all(all.map((lines) => lines.next()));
  expect(begun.map(({ value }) => value)).toEqual(all.map(() => 1));
  expect(await connection.send({ method: "GET", path: "/" })).toEqual({});
});
