import { once } from "node:events";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { anyCertificate } from "../../test/prober/certificates.ts";
import { boundConnections, type ConnectionBounds } from "./connections.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listening(server: Server, bounds: ConnectionBounds) {
  servers.push(server);
  const clients = boundConnections(server, bounds);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { clients, port: (server.address() as AddressInfo).port };
}
async function plain(bounds: ConnectionBounds) {
  const server = createServer();
  const made = await listening(server, bounds);
  server.on("connection", (socket) => void (socket.destroyed || socket.write("x")));
  return made;
}

/** Whether it is let in: the server says something. */
async function enters(port: number, localAddress = "127.0.0.1"): Promise<Socket | undefined> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  sockets.push(socket);
  socket.on("error", () => {});
  const heard = await Promise.race([once(socket, "data"), once(socket, "close").then(() => undefined)]);
  return heard === undefined ? undefined : socket;
}

test("an address has so many connections at once and no more; another's are let in, and one that ends makes room", async () => {
  const { port, clients } = await plain({ most: 2, proxies: [] });
  const [first, second] = [await enters(port), await enters(port)];
  expect(first && second).toBeDefined();
  expect(await enters(port)).toBeUndefined();
  expect(await enters(port, "127.0.0.2")).toBeDefined();
  expect(clients()).toBe(2);
  first?.destroy();
  await expect.poll(async () => (await enters(port)) !== undefined).toBe(true);
});

test("a trusted proxy's are not counted, nor are any where there is no bound", async () => {
  for (const bounds of [
    { most: 1, proxies: ["127.0.0.0/8"] },
    { most: 1, proxies: ["127.0.0.1"] },
    { most: 0, proxies: [] },
  ]) {
    const { port } = await plain(bounds);
    for (let count = 0; count < 3; count += 1) expect(await enters(port)).toBeDefined();
  }
});

test("a connection of TLS makes room when it ends", async () => {
  const server = createHttps(await anyCertificate(), (_request, response) => response.end());
  const { port, clients } = await listening(server, { most: 1, proxies: [] });
  for (let count = 0; count < 3; count += 1) {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    expect(clients()).toBe(1);
    socket.end();
    await once(socket, "close");
    await expect.poll(clients).toBe(0);
  }
});
