import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WorkerEndpoint } from "../../controllers/worker-endpoint/endpoint.ts";
import { createWorkerServer } from "../../controllers/worker-endpoint/server.ts";
import { makeCa, makeServerCertificate } from "../../src/guard/certificate.ts";
import { createOperatorClient } from "../../src/worker/operator-client.ts";
import { type AnyWork, protocol } from "../../src/worker/protocol.ts";
import { type PlayedOperator, playOperator } from "./operator.ts";

/** Worker and operator of two versions, as an upgrade brings them together: messages that the version before sent, as it sent them. */

const before = JSON.parse(readFileSync(new URL(`protocol-${protocol.version - 1}.json`, import.meta.url), "utf8")) as {
  requests: { path: string; body: unknown }[];
  answers: { "/work": AnyWork };
};

describe("an operator", () => {
  const got: unknown[] = [];
  const endpoint: WorkerEndpoint = {
    work: async () => before.answers["/work"],
    progress: async (_token, report) => void got.push(report),
    result: async (_token, outcome) => void got.push(outcome),
    close: async () => {},
  };
  let ca: string;
  let server: ReturnType<typeof createWorkerServer>;

  beforeAll(async () => {
    const authority = await makeCa("test", new Date());
    const { certificate: cert, key } = await makeServerCertificate(authority, ["127.0.0.1"], new Date());
    ca = authority.certificate;
    server = createWorkerServer({ endpoint, tls: { cert, key }, log: pino({ level: "silent" }) });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const port = () => (server.address() as AddressInfo).port;
  async function post(path: string, body: unknown, version?: string): Promise<{ status: number; text: string }> {
    const headers = {
      authorization: "Bearer a-token",
      ...(version === undefined ? {} : { [protocol.header]: version }),
    };
    const sent = request({ host: "127.0.0.1", port: port(), path, method: "POST", ca, headers, agent: false });
    sent.end(JSON.stringify(body));
    const [response] = await once(sent, "response");
    let text = "";
    for await (const part of response) text += part;
    return { status: response.statusCode, text };
  }

  it.each(before.requests)("takes what a worker of the version before sends to $path", async ({ path, body }) => {
    // The first version had no header.
    const version = protocol.version === 2 ? undefined : String(protocol.version - 1);
    got.length = 0;
    expect(await post(path, body, version)).toMatchObject({ status: 200 });
    if (path !== "/work") expect(got).toEqual([body]);
  });

  it("asks a worker of a later version to come again, since an operator of its own is about to start", async () => {
    const { status, text } = await post("/work", {}, String(protocol.version + 1));
    expect(status).toBe(503);
    expect(text).toContain("protocol_newer");
  });

  it.each(["0", "-1", "two", "1.5", "", "99999999"])("refuses the version %j", async (version) => {
    const { status, text } = await post("/work", {}, version);
    expect(status).toBe(400);
    expect(text).toContain(protocol.header);
  });

  it("takes what its own worker sends, which says its version", async () => {
    const tokenFile = join(mkdtempSync(join(tmpdir(), "p-")), "token");
    writeFileSync(tokenFile, "a-token");
    const worker = createOperatorClient({ url: `https://127.0.0.1:${port()}`, ca, tokenFile, learn: () => {} });
    const seen = once(server, "request");
    expect(await worker.work(AbortSignal.timeout(10_000))).toMatchObject({ kind: "ok", body: { run: 2 } });
    const [received] = await seen;
    expect(received.headers[protocol.header]).toBe(String(protocol.version));
    worker.close();
  });
});

describe("a worker", () => {
  let operator: PlayedOperator;
  beforeAll(async () => {
    operator = await playOperator(before.answers["/work"] as never);
  });
  afterAll(() => operator.stop());

  it("understands the work that an operator of the version before gives", async () => {
    const worker = createOperatorClient({ ...operator, learn: () => {} });
    const answer = await worker.work(AbortSignal.timeout(10_000));
    expect(answer).toMatchObject({ kind: "ok", body: { owner: "6f6d8f6a-0000-4000-8000-000000000001", run: 2 } });
    worker.close();
  });
});
