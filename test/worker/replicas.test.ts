import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { WorkerEndpoint } from "../../controllers/worker-endpoint/endpoint.ts";
import { createWorkerServer } from "../../controllers/worker-endpoint/server.ts";
import { ClusterError } from "../../src/cluster/index.ts";
import { makeCa, makeServerCertificate } from "../../src/guard/certificate.ts";
import { createOperatorClient, type OperatorClient } from "../../src/worker/operator-client.ts";

/** Two replicas of the operator behind one address, as a Service has them: each connection goes to the next. */

const listen = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

const servers: Server[] = [];
let worker: OperatorClient;
let heard = 0;

beforeAll(async () => {
  const authority = await makeCa("test", new Date());
  const { certificate: cert, key } = await makeServerCertificate(authority, ["127.0.0.1"], new Date());
  const replica = async (progress: WorkerEndpoint["progress"]): Promise<number> => {
    const endpoint: WorkerEndpoint = {
      work: () => Promise.reject(new ClusterError("Unreachable", 0, "connect EHOSTUNREACH")),
      progress,
      result: async () => {},
      close: async () => {},
    };
    const server = createWorkerServer({ endpoint, tls: { cert, key }, log: pino({ level: "silent" }) });
    servers.push(server);
    return listen(server);
  };
  const ports = [
    await replica(() => Promise.reject(new ClusterError("Unreachable", 0, "connect EHOSTUNREACH"))),
    await replica(async () => {
      heard += 1;
    }),
  ];
  let connections = 0;
  const service = createServer((socket) => {
    const onward = connect(ports[connections++ % ports.length] ?? 0, "127.0.0.1");
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  servers.push(service);
  const tokenFile = join(mkdtempSync(join(tmpdir(), "r-")), "token");
  writeFileSync(tokenFile, "a-token");
  const url = `https://127.0.0.1:${await listen(service)}`;
  worker = createOperatorClient({ url, ca: authority.certificate, tokenFile, learn: () => {} });
});
afterAll(() => {
  worker?.close();
  for (const server of servers) server.close();
});

it("a worker whose connection leads to a replica without its API server reports by the next connection", async () => {
  const report = (): Promise<{ kind: string }> => worker.progress({ log: [] }, AbortSignal.timeout(10_000));
  expect(await report()).toMatchObject({ kind: "unreachable", why: expect.stringContaining("the API server") });
  expect(await report()).toEqual({ kind: "ok", body: null });
  expect(heard).toBe(1);
  // A connection that works is kept.
  expect(await report()).toEqual({ kind: "ok", body: null });
  expect(heard).toBe(2);
});
