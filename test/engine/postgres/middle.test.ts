import { once } from "node:events";
import { type AddressInfo, createServer, connect as dialTcp, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { connect } from "../../../src/engine/postgres/driver/connection.ts";
import { makeCa, makeServerCertificate } from "../../../src/guard/certificate.ts";
import { authentication, message, ready } from "../../guard/rogue.ts";
import { endpoint, type Servers, startServers } from "../../support/engine/postgres-support.ts";

/** A man in the middle between the client and a real PostgreSQL, with TLS of his own to each: what he learns, and whether he gets in. */

let servers: Servers;
let own: { cert: string; key: string };
const stops: (() => void)[] = [];
beforeAll(async () => {
  servers = await startServers();
  const now = new Date();
  const ca = await makeCa("middle", now);
  const made = await makeServerCertificate(ca, ["localhost"], now);
  own = { cert: made.certificate, key: made.key };
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});
afterAll(() => servers?.stop());

const purpose = { role: "source" as const, applicationName: "rowferry test 1" };

interface Middle {
  port: number;
  heard(): string;
}

/** `serve` gets each client's connection after TLS; `heard` is all that the client sent in it. */
async function middle(serve: (client: TLSSocket) => void): Promise<Middle> {
  const sockets = new Set<Socket>();
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write("S");
      const client = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(own) });
      client.on("error", () => undefined);
      client.on("data", (chunk: Buffer) => heard.push(chunk));
      serve(client);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => Buffer.concat(heard).toString("latin1") };
}

/** Passes everything on to the real server, over TLS, but for what `change` changes of its answers. */
function passOn(change: (answer: Buffer) => Buffer) {
  return (client: TLSSocket) => {
    const plain = dialTcp(servers.new.port, servers.new.host);
    stops.push(() => plain.destroy());
    const early: Buffer[] = [];
    const keep = (chunk: Buffer) => void early.push(chunk);
    client.on("data", keep);
    plain.write(Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]));
    plain.once("data", () => {
      const real = connectTls({ socket: plain, rejectUnauthorized: false });
      real.on("error", () => undefined);
      client.off("data", keep);
      for (const chunk of early) real.write(chunk);
      client.on("data", (chunk: Buffer) => real.write(chunk));
      real.on("data", (chunk: Buffer) => client.write(change(chunk)));
      real.on("close", () => client.destroy());
    });
  };
}

const through = (port: number, tls: Endpoint["tls"]): Endpoint => ({
  ...endpoint({ server: servers.new, database: "app" }),
  host: "localhost",
  port,
  tls,
});

const unchanged = (answer: Buffer) => answer;

/** Takes -PLUS out of the offer, as a server without channel binding would make it. */
const withoutPlus = (answer: Buffer) => {
  const offer = authentication(10, "SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0");
  return answer.equals(offer) ? authentication(10, "SCRAM-SHA-256\0\0") : answer;
};

describe("a man in the middle", () => {
  test("who passes the login on is refused, since it is bound to the server's certificate", async () => {
    const { port } = await middle(passOn(unchanged));
    await expect(connect(through(port, { mode: "require" }), purpose)).rejects.toMatchObject({ code: "access_denied" });
  });

  test("who hides that the server can bind is refused by the server", async () => {
    const { port } = await middle(passOn(withoutPlus));
    await expect(connect(through(port, { mode: "require" }), purpose)).rejects.toMatchObject({ code: "access_denied" });
  });

  test("gets through only if the user switches the binding off", async () => {
    const { port } = await middle(passOn(unchanged));
    const session = await connect(through(port, { mode: "require", binding: "disable" }), purpose);
    expect(await session.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await session.end();
  });

  test.each([
    ["prefer", {}],
    ["require", {}],
    ["require", { binding: "disable" as const }],
  ] as const)("who requests a clear-text password gets none at sslmode=%s %j", async (mode, more) => {
    const { port, heard } = await middle((client) => client.once("data", () => client.write(authentication(3))));
    const at = through(port, { mode, ...more });
    await expect(connect({ ...at, password: "planted-secret" }, purpose)).rejects.toMatchObject({
      code: "access_denied",
      message: expect.stringContaining("sslmode=verify-full"),
    });
    expect(heard()).not.toContain("planted-secret");
  });
});

describe("channel_binding=require", () => {
  const bound = { mode: "require", binding: "require" } as const;

  test("logs in to a real server by SCRAM-SHA-256-PLUS", async () => {
    const session = await connect(through(servers.new.port, bound), purpose);
    expect(session.encrypted).toBe(true);
    await session.end();
  });

  test.each([
    ["a clear-text password", () => authentication(3)],
    ["an MD5 password", () => authentication(5, "salt")],
    ["SCRAM without binding", () => authentication(10, "SCRAM-SHA-256\0\0")],
    ["no password", () => Buffer.concat([authentication(0), message("S", "server_version\x0015.4\0"), ready])],
  ])("refuses a server that requests %s", async (_what, answer) => {
    const { port, heard } = await middle((client) => client.once("data", () => client.write(answer())));
    await expect(connect({ ...through(port, bound), password: "planted-secret" }, purpose)).rejects.toMatchObject({
      code: "access_denied",
      message: expect.stringContaining("channel_binding=require"),
    });
    expect(heard()).not.toMatch(/planted-secret|SCRAM/);
  });
});
