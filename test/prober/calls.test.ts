import { once } from "node:events";
import { createServer } from "node:https";
import { type AddressInfo, connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCa } from "../../src/guard/certificate.ts";
import { createProberClient } from "../../src/prober/client.ts";
import { largestCall, largestResponse } from "../../src/prober/protocol.ts";
import type { TlsFiles } from "../../src/prober/tls-files.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { until } from "../worker/until.ts";
import { certificateOf } from "./certificates.ts";
import { type RunningProber, startProber } from "./prober.ts";
import { send } from "./send.ts";

/** Who may call the prober and how, and what the API's side makes of a prober that does not answer as it should. */

let prober: RunningProber;
const closing: (() => void)[] = [];

beforeAll(async () => {
  prober = await startProber();
});
afterAll(async () => {
  for (const close of closing) close();
  await prober?.stop();
});

const body = JSON.stringify({ database: { url: "mysql://a:b@127.0.0.1/c" } });

test("only the API's own certificate is let in", async () => {
  expect(await send(prober, { body })).toMatchObject({ status: 200 });
  expect(await closedBy({})).toEqual({ code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", received: "" });
  const other = await certificateOf(prober.ca, "rowferry-worker");
  expect(await send(prober, { body, as: other })).toMatchObject({ status: 403 });
  const foreign = await makeCa("Rowferry's CA of a test", new Date());
  const { cert, key } = await certificateOf(foreign, "rowferry-api");
  expect(await closedBy({ cert, key })).toEqual({ code: undefined, received: "" });
  expect(await closedBy("without TLS")).toEqual({ code: undefined, received: "" });
});

/**
 * How the prober closes a connection. By TLS nothing is sent, so that no reset by the system hides the alert; without it, a call.
 */
async function closedBy(as: Partial<TlsFiles> | "without TLS"): Promise<{ code: unknown; received: string }> {
  const { hostname: host, port } = new URL(prober.url);
  const to = { host, port: Number(port) };
  const socket = as === "without TLS" ? connectPlain(to) : connectTls({ ...to, ca: prober.ca.certificate, ...as });
  if (as === "without TLS") socket.write(`POST /test HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\n\r\n`);
  let code: unknown;
  socket.on("error", (error: NodeJS.ErrnoException) => {
    code = error.code;
  });
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  return new Promise((done) => socket.once("close", () => done({ code, received })));
}

test.each([
  ["another path", { path: "/anything" }, 404],
  ["a path that every object has", { path: "/constructor" }, 404],
  ["another method", { method: "GET", body: "" }, 405],
  ["another type", { headers: { "content-type": "text/plain" } }, 415],
  ["no JSON", { body: "{" }, 400],
  ["a field too much", { body: JSON.stringify({ database: { url: "mysql://a:b@c/d" }, more: 1 }) }, 422],
  ["a URL that is too long", { body: JSON.stringify({ database: { url: "m".repeat(8193) } }) }, 422],
  ["a body that is too large", { body: " ".repeat(largestCall + 1) }, 413],
  [
    "a body that is too large and of no told length",
    { body: " ".repeat(largestCall + 1), headers: { "transfer-encoding": "chunked" } },
    413,
  ],
])("%s is refused", async (_, options, status) => {
  const answer = await send(prober, { body, ...options });
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toEqual({ code: expect.any(String), message: expect.any(String) });
});

test("health and metrics are told without a certificate, and calls are not", async () => {
  expect((await fetch(`${prober.healthUrl}/healthz`)).status).toBe(200);
  await until("a child has come up", async () => (await fetch(`${prober.healthUrl}/readyz`)).status === 200);
  // A probe that was answered counts until its process is gone, a moment later.
  await until("no probe to run", async () =>
    (await (await fetch(`${prober.healthUrl}/metrics`)).text()).includes("rowferry_prober_running 0"),
  );
  expect((await fetch(`${prober.healthUrl}/test`, { method: "POST", body })).status).toBe(404);
});

test("a renewed certificate, and another CA, count without a restart", async () => {
  const own = await startProber();
  try {
    const ca = await makeCa("Rowferry's next CA of a test", new Date());
    const api = await certificateOf(ca, "rowferry-api");
    expect(await own.client.test({ url: "mysql://a:b@127.0.0.1/c" })).toHaveProperty("unreachable");
    // Half of it is not taken, and what was there stays.
    await own.renew({ ...(await certificateOf(ca, "rowferry-prober")), key: own.api.key });
    await until("the problem is logged", () => own.output().includes("reading the certificate"));
    expect(await send(own, { body })).toMatchObject({ status: 200 });
    await own.renew(await certificateOf(ca, "rowferry-prober"));
    await until("it is read anew", () => own.output().includes("read anew"));
    const client = createProberClient({ url: own.url, tls: () => api });
    expect(await client.test({ url: "mysql://a:b@127.0.0.1/c" })).toHaveProperty("unreachable");
    client.close();
    await expect(send(own, { body })).rejects.toMatchObject({ code: "SELF_SIGNED_CERT_IN_CHAIN" });
    const formerly = { cert: own.api.cert, key: own.api.key };
    await expect(send({ ...own, ca }, { body, as: formerly })).rejects.toMatchObject({
      code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/),
    });
  } finally {
    await own.stop();
  }
});

/** A prober that answers what it likes. */
async function played(answer: (socket: Socket, calls: number) => void) {
  const tls = await certificateOf(prober.ca, "rowferry-prober");
  const server = createServer(tls);
  let calls = 0;
  server.on("request", (request) => {
    calls += 1;
    request.resume();
    request.on("end", () => answer(request.socket, calls));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const deadlines = { preflight: 100, measure: 100, test: 100, target: 100 };
  const client = createProberClient({ url, tls: () => prober.api, deadlines });
  closing.push(() => {
    client.close();
    server.close();
    server.closeAllConnections();
  });
  return { client, calls: () => calls, server };
}

const reply = (status: number, text: string, headers = "") =>
  `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${headers}\r\n${text}`;
const good = reply(200, '{"size": 7}');
const source = { url: "mysql://a:b@c/d" };

test("a connection that the prober had closed meanwhile is not the caller's trouble", async () => {
  // Kept alive after the first answer, and cut when the second request arrives on it.
  const { client, calls } = await played((socket, call) => (call === 2 ? socket.destroy() : socket.write(good)));
  expect(await client.measure(source)).toEqual({ size: 7 });
  expect(await client.measure(source)).toEqual({ size: 7 });
  expect(calls()).toBe(3);
});

test.each<[name: string, answer: (socket: Socket) => void, code: string]>([
  ["hangs up", (socket) => socket.destroy(), "unavailable"],
  ["never answers", () => undefined, "unavailable"],
  ["answers without end", (socket) => void socket.write(reply(200, " ".repeat(largestResponse + 1))), "unavailable"],
  ["answers what is no JSON", (socket) => void socket.write(reply(200, "{")), "unavailable"],
  ["answers another shape", (socket) => void socket.write(reply(200, '{"size": "x"}')), "unavailable"],
  ["refuses", (socket) => void socket.write(reply(403, '{"code": "forbidden", "message": "x"}')), "unavailable"],
  ["is stopping", (socket) => void socket.write(reply(503, "{}")), "unavailable"],
  [
    "is busy",
    (socket) => void socket.write(reply(503, '{"code": "busy", "message": "x"}', "retry-after: 2\r\n")),
    "busy",
  ],
])("a prober that %s is a Problem that says when to come again", async (_, answer, code) => {
  const { client } = await played(answer);
  await expect(client.measure(source)).rejects.toMatchObject({
    name: "Problem",
    status: 503,
    code,
    retryAfter: expect.any(Number),
  });
});

test("a prober that is not there is a Problem too", async () => {
  const client = createProberClient({ url: "https://127.0.0.1:1", tls: () => prober.api });
  const pair = { source, target: source };
  await expect(client.preflight(pair, optionsSchema.parse({}))).rejects.toMatchObject({ code: "unavailable" });
});
