import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import { describe, expect, test } from "vitest";
import { makeCa, makeServerCertificate } from "../../src/guard/certificate.ts";
import { memoryInCore } from "../core-files.ts";
import { until } from "../operator/control-plane.ts";
import { create } from "./migrations-play.ts";
import { api, type Person, provided, signUp, startReplica } from "./world.ts";

/** One replica from its start to its end: its certificate, its log, its metrics, its streams, and how it goes. */

const certificateOf = (port: number): Promise<PeerCertificate> =>
  new Promise((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port, servername: "localhost", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once("error", reject);
  });

test("a certificate that was renewed is served without a restart, and TLS 1.1 is refused", async () => {
  const folder = join(provided.folder, "own-tls");
  cpSync(join(provided.folder, "rowferry-api-tls"), folder, { recursive: true });
  const replica = await startReplica({
    ROWFERRY_API_TLS: folder,
    ROWFERRY_API_CLIENT_TLS: join(provided.folder, "rowferry-api-tls"),
  });
  const before = await certificateOf(replica.port);
  const ca = await makeCa("Other", new Date());
  const next = await makeServerCertificate(ca, ["localhost"], new Date());
  // Broken at first, as when it is written piece by piece: the old one goes on.
  writeFileSync(join(folder, "tls.crt"), "-----BEGIN CERTIFICATE-----\n");
  await until("the replica to see the broken file", () =>
    replica.lines.some(({ msg }) => String(msg).startsWith("reading a certificate")),
  );
  expect((await certificateOf(replica.port)).fingerprint256).toBe(before.fingerprint256);
  writeFileSync(join(folder, "tls.key"), next.key);
  writeFileSync(join(folder, "tls.crt"), next.certificate);
  await until(
    "the new certificate",
    async () => (await certificateOf(replica.port)).fingerprint256 !== before.fingerprint256,
  );
  await expect(
    new Promise((resolve, reject) => {
      const socket = connectTls(
        {
          host: "127.0.0.1",
          port: replica.port,
          maxVersion: "TLSv1.1",
          minVersion: "TLSv1",
          ciphers: "DEFAULT@SECLEVEL=0",
          rejectUnauthorized: false,
        },
        () => resolve("spoken"),
      );
      socket.once("error", reject);
    }),
  ).rejects.toMatchObject({ code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
});

test("plain HTTP is spoken only where a setting says so", async () => {
  const replica = await startReplica({ ROWFERRY_API_PLAIN_HTTP: "true", ROWFERRY_BASE_URL: "http://localhost" });
  const answer = await fetch(`http://127.0.0.1:${replica.port}/healthz`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("strict-transport-security")).toBeNull();
  await expect(fetch(`http://127.0.0.1:${provided.ports[0]}/healthz`)).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/) },
  });
});

test("a line of the log has the request's id and what was called, and nothing of a body, a query, a path or a token", async () => {
  const replica = await startReplica();
  const person = await signUp();
  const secret = "Pl4nted-in-a-request";
  const id = "trace-of-the-log";
  await replica.caller.ask(`/api/account?password=${secret}`, { token: person.token, headers: { "x-request-id": id } });
  await replica.caller.ask(`/${secret}`, { token: `1|${secret}`, headers: { cookie: secret, "user-agent": secret } });
  await replica.caller.ask("/api/session", { body: { email: `${secret}@example.com`, password: secret } });
  await replica.caller.ask("/api/session", { raw: `{"password": ${secret}}` });
  await until("the lines", () => replica.lines.filter(({ msg }) => msg === "request").length >= 4);
  expect(replica.lines.find(({ request_id }) => request_id === id)).toMatchObject({
    method: "GET",
    operation: "getAccount",
    status: 422,
    account: expect.stringMatching(/^a[0-9a-f]{40}$/),
    ms: expect.any(Number),
  });
  expect(JSON.stringify(replica.lines)).not.toContain(secret);
  expect(JSON.stringify(replica.lines)).not.toContain(person.token.split("|")[1]);
  expect(memoryInCore(replica.child.pid)).toBe(0);
});

test("each call that changes something has a line of who, by which token, from where, what, on which object and with which result", async () => {
  const replica = await startReplica();
  const person = await signUp();
  const [token, id] = [person.token.split("|")[0] ?? "", "of-the-audit"];
  const ask = (path: string, asked: object) =>
    replica.caller.ask(path, { token: person.token, headers: { "x-request-id": id }, ...asked });
  const pair = { source_url: "postgres://app:Pl4nted@127.0.0.1:9/app", target_url: "mysql://app:x@127.0.0.1:9/app" };
  const made = (await ask("/api/migrations", { body: pair })).body.migration.id;
  await ask(`/api/migrations/${made}`, {});
  await ask(`/api/migrations/${made}/retry`, { method: "POST" });
  const call = (name: string, args: object) => ({
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
    headers: { "x-request-id": id, accept: "application/json, text/event-stream" },
  });
  await ask("/mcp-migrations", call("retry-migration-tool", { id: made }));
  await ask("/mcp-migrations", call("get-migration-tool", { id: made }));
  await ask("/api/tokens/482915073648201", { method: "DELETE" });
  await ask("/mcp-migrations", call("retry-migration-tool", { id: "Pl4nted" }));
  await ask("/api/session", { token: undefined, body: { email: person.email, password: "Pl4nted-Pl4nted" } });
  const lines = await until("eight lines", () => {
    const found = replica.lines.filter(({ msg, request_id }) => msg === "request" && request_id === id);
    return found.length >= 8 ? replica.lines.filter(({ msg }) => msg === "audit") : undefined;
  });
  const common = { request_id: id, address: "127.0.0.1", token, account: expect.stringMatching(/^a[0-9a-f]{40}$/) };
  const team = { team: person.team };
  expect(lines).toMatchObject([
    { ...common, ...team, verb: "createMigration", object: made, result: "done" },
    { ...common, ...team, verb: "retryMigration", object: made, result: "state_conflict" },
    { ...common, ...team, verb: "retry-migration-tool", object: made, result: "state_conflict" },
    { ...common, verb: "revokeToken", object: "482915073648201", result: "not_found" },
    { ...common, ...team, verb: "retry-migration-tool", result: "not_found" },
    { request_id: id, verb: "signIn", result: "credentials_refused" },
  ]);
  expect(JSON.stringify(lines)).not.toContain("Pl4nted");
});

test("metrics count answers by operation and status, and the requests to the Kubernetes API, on a port of their own", async () => {
  const replica = await startReplica();
  const person = await signUp();
  await replica.caller.ask("/api/account", { token: person.token });
  await replica.caller.ask("/nothing");
  const text = await (await fetch(`${replica.health}/metrics`)).text();
  expect(text).toContain('rowferry_api_answers_total{operation="getAccount",status="200"} 1');
  expect(text).toContain('rowferry_api_answers_total{operation="none",status="404"} 1');
  expect(text).toMatch(/rowferry_api_kubernetes_requests_total\{method="GET"\} \d+/);
  expect(text.match(/# TYPE rowferry_api_answers_total/g)).toHaveLength(1);
  expect((await replica.caller.ask("/metrics")).status).toBe(404);
  for (const path of ["/healthz", "/readyz"]) {
    expect((await fetch(`${replica.health}${path}`)).status).toBe(200);
    expect(await replica.caller.ask(path)).toMatchObject({ status: 200, body: { status: "ok" } });
  }
});

test("origins that are named may call with a token and read what limits tell; others may not", async () => {
  const replica = await startReplica({ ROWFERRY_CORS_ORIGINS: "https://app.example, https://b.example" });
  const origin = "https://app.example";
  const preflight = await replica.caller.ask("/api/migrations", {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
  });
  expect(preflight).toMatchObject({
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-headers": expect.stringContaining("Authorization"),
      vary: expect.stringContaining("Origin"),
    },
  });
  expect(preflight.headers["access-control-allow-credentials"]).toBeUndefined();
  const refused = await replica.caller.ask("/api/account", { headers: { origin } });
  expect(refused).toMatchObject({ status: 401, headers: { "access-control-allow-origin": origin } });
  for (const foreign of ["https://evil.example", "null", "https://app.example.evil.example"]) {
    const answer = await replica.caller.ask("/api/account", { headers: { origin: foreign } });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  }
});

test("a stranger's X-Forwarded-For is not believed, a named proxy's is", async () => {
  const limits = { ROWFERRY_LIMITS: '{"credentials_address":[{"points":2,"seconds":600}]}' };
  const guess = (replica: Awaited<ReturnType<typeof startReplica>>, address: string) =>
    replica.caller.ask("/api/session", {
      headers: { "x-forwarded-for": address },
      body: { email: `${address}@example.com`, password: "wrong password" },
    });
  const plain = await startReplica(limits);
  const statuses = [];
  for (let turn = 1; turn <= 3; turn += 1) statuses.push((await guess(plain, `203.0.113.${turn}`)).status);
  expect(statuses).toEqual([401, 401, 429]);
  const behind = await startReplica({ ...limits, ROWFERRY_TRUSTED_PROXIES: "127.0.0.1/32" });
  for (let turn = 1; turn <= 3; turn += 1) expect((await guess(behind, `203.0.113.${turn}`)).status).toBe(401);
});

describe("streams", () => {
  const read = async (person: Person, id: string, replica: Awaited<ReturnType<typeof startReplica>>) => {
    const response = await replica.caller.open(`/api/migrations/${id}/events`, { token: person.token });
    let text = "";
    response.setEncoding("utf8").on("data", (data: string) => {
      text += data;
    });
    const ended = new Promise<void>((resolve) => response.once("close", resolve));
    response.on("error", () => {});
    return { response, ended, text: () => text };
  };

  test("so many are open for an account at most, and one that ends makes room", async () => {
    const replica = await startReplica({ ROWFERRY_MOST_STREAMS: "2" });
    const [ann, bob] = [await signUp(), await signUp()];
    const id = await create(ann);
    const first = await read(ann, id, replica);
    await read(ann, id, replica);
    const third = await replica.caller.ask(`/api/migrations/${id}/events`, { token: ann.token });
    expect(third).toMatchObject({ status: 409, body: { code: "limit_reached" } });
    const other = await create(bob);
    expect((await read(bob, other, replica)).response.statusCode).toBe(200);
    first.response.destroy();
    await until("room", async () => {
      const again = await read(ann, id, replica);
      return again.response.statusCode === 200;
    });
  });

  test("one ends when its token is revoked, and when its reader acts for another team", async () => {
    const person = await signUp();
    const id = await create(person);
    const replica = await startReplica();
    const minted = await api("/api/tokens", { token: person.token, body: { name: "short" } });
    const byShort = await read({ ...person, token: minted.body.token }, id, replica);
    const byLong = await read(person, id, replica);
    await until(
      "both to begin",
      () => byShort.text().includes("event: status") && byLong.text().includes("event: status"),
    );
    expect((await api(`/api/tokens/${minted.body.id}`, { method: "DELETE", token: person.token })).status).toBe(200);
    await byShort.ended;
    const team = await api("/api/teams", { token: person.token, body: { name: "other" } });
    expect((await api(`/api/teams/${team.body.team.id}/switch`, { method: "POST", token: person.token })).status).toBe(
      200,
    );
    await byLong.ended;
  });
});

describe("the end of a replica", () => {
  test("it is no longer ready, serves on, ends streams in order, and nothing that was asked is lost", async () => {
    const replica = await startReplica({ ROWFERRY_DRAIN_SECONDS: "2" });
    const person = await signUp();
    const id = await create(person);
    const response = await replica.caller.open(`/api/migrations/${id}/events`, { token: person.token });
    let events = "";
    response.setEncoding("utf8").on("data", (data: string) => {
      events += data;
    });
    const whole = new Promise((resolve) => response.once("end", resolve));
    await until("the stream to begin", () => events.includes("event: status"));
    const stopped = replica.stop();
    await until("it to be unready", async () => (await fetch(`${replica.health}/readyz`)).status === 503);
    const statuses: number[] = [];
    const closing: boolean[] = [];
    // Each request by the connections that there are, or a new one, until none is taken any more.
    for (;;) {
      const answer = await replica.caller.ask("/api/account", { token: person.token }).catch(() => undefined);
      if (answer === undefined) break;
      statuses.push(answer.status);
      closing.push(answer.headers.connection === "close");
    }
    expect(statuses.length).toBeGreaterThan(2);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // Each connection at a moment of its own.
    expect(closing).toContain(true);
    await whole;
    expect(await stopped).toBe(0);
    expect(replica.lines.map(({ msg }) => msg)).toContain("stopped");
    expect(replica.lines.some(({ level }) => Number(level) >= 50)).toBe(false);
  });

  test("a request whose body is still on its way is answered before the process ends", async () => {
    const replica = await startReplica({ ROWFERRY_DRAIN_SECONDS: "0" });
    const person = await signUp();
    const body = JSON.stringify({ name: "late" });
    const reads = async () => {
      const text = await (await fetch(`${replica.health}/metrics`)).text();
      return Number(/kubernetes_requests_total\{method="GET"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await reads();
    const socket = connectTls({
      host: "127.0.0.1",
      port: replica.port,
      servername: "localhost",
      ca: readFileSync(join(provided.folder, "rowferry-api-tls/ca.crt")),
    });
    let heard = "";
    socket.setEncoding("utf8").on("data", (data: string) => {
      heard += data;
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(
      `POST /api/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${person.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 3)}`,
    );
    await until("the request to be in work", async () => (await reads()) > before);
    const stopped = replica.stop();
    await until("the end to begin", () => replica.lines.some(({ msg }) => msg === "stopping"));
    socket.write(body.slice(3));
    await closed;
    expect(heard).toMatch(/^HTTP\/1.1 201 /);
    expect(await stopped).toBe(0);
  });

  test("one whose settings are not right ends at once and names the setting", async () => {
    await expect(startReplica({ ROWFERRY_BASE_URL: "no url" })).rejects.toThrow("ROWFERRY_BASE_URL");
    await expect(startReplica({ ROWFERRY_LIMITS: '{"read":[]}' })).rejects.toThrow("ROWFERRY_LIMITS");
    await expect(startReplica({ ROWFERRY_API_KEYS: "/nothing" })).rejects.toThrow("/nothing");
  });
});
