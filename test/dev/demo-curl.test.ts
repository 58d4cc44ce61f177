import { execFile } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callLine, callOpening, enterLine, mintLine, shellOpening } from "../../dev/demo/curl.ts";

/** A server that notes what came, and a shell into which the lines are pasted. */
const came: { request: IncomingMessage; body: string }[] = [];
const server = createServer(async (request, response) => {
  came.push({ request, body: await text(request) });
  response.setHeader("Set-Cookie", "session=abc").end("{}");
});
let baseUrl = "";

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it("the lines, pasted into a shell, send what the demo sent", async () => {
  const person = { email: "ada@example.com", password: 'it\'s "$HOME" and `id`' };
  const pair = { source_url: "mysql://root:demo@source.shop.svc:3306/shop", options: { verify: "checksum" } };
  const lines = [
    "cd $(mktemp -d) && trap 'rm -r $PWD' EXIT",
    shellOpening({ baseUrl, caFile: "/of the/ca.crt" }),
    enterLine(person),
    mintLine({ name: "demo" }),
    callOpening("123456789012345|rfy_abc"),
    callLine("/api/migrations", pair),
    callLine("/api/migrations/1/logs"),
  ];
  await promisify(execFile)("bash", ["-euc", lines.join("\n")]);
  const sent = came.map(({ request, body }) => [request.method, request.url, body === "" ? "" : JSON.parse(body)]);
  expect(sent).toEqual([
    ["POST", "/api/session", person],
    ["POST", "/api/tokens", { name: "demo" }],
    ["POST", "/api/migrations", pair],
    ["GET", "/api/migrations/1/logs", ""],
  ]);
  const headers = came.map(({ request }) => request.headers);
  expect(headers[1]).toMatchObject({ cookie: "session=abc", origin: baseUrl, "content-type": "application/json" });
  expect(headers[2]).toMatchObject({
    authorization: "Bearer 123456789012345|rfy_abc",
    "content-type": "application/json",
  });
});
