import { describe, expect, it, test } from "vitest";
import { operationOf, tiersOf } from "./message.ts";
import { mcpServers } from "./servers.ts";

const tools = mcpServers.flatMap((server) => server.tools);
const request = (method: unknown, params?: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });

describe("a message counts in the tiers of what it asks", () => {
  test.each([
    ["a handshake", request("initialize"), []],
    ["a discovery", request("server/discover"), []],
    ["a ping", request("ping"), []],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, []],
    [
      "a notification that calls",
      { jsonrpc: "2.0", method: "tools/call", params: { name: "preview-migration-tool" } },
      [],
    ],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }, []],
    ["no message", "ping", []],
    ["nothing", null, []],
    ["a list", request("tools/list"), ["ai"]],
    ["an unknown method", request("drop"), ["ai"]],
    ["an unknown tool", request("tools/call", { name: "drop-tool" }), ["ai"]],
    ["a call without parameters", request("tools/call"), ["ai"]],
    ["a create", request("tools/call", { name: "prepare-migration-tool" }), ["ai"]],
    ["a preview", request("tools/call", { name: "preview-migration-tool" }), ["ai", "probe"]],
    ["a restore", request("tools/call", { name: "restore-backup-tool" }), ["read"]],
  ])("%s", (_what, message, tiers) => expect(tiersOf(message, tools)).toEqual(tiers));
});

it("has a name of a bounded number in the log", () => {
  expect(operationOf(request("tools/call", { name: "get-migration-tool" }), tools)).toBe("get-migration-tool");
  expect(operationOf(request("tools/call", { name: "x" }), tools)).toBe("tools/call");
  expect(operationOf(request("anything at all"), tools)).toBe("other");
});
