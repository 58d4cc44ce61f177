import { expect, it, test } from "vitest";
import { listing } from "./listing.ts";
import { mcpServers } from "./servers.ts";

const tools = mcpServers.flatMap((server) => server.tools);

it("keeps both lists together within 27 KB", () => {
  const size = Buffer.byteLength(JSON.stringify(tools.map(listing)));
  expect(size).toBeLessThanOrEqual(27_000);
});

test.each(tools.map((tool) => [tool.name, tool] as const))("%s says of each field what it is", (_name, tool) => {
  const { inputSchema, outputSchema } = listing(tool);
  const fields = Object.entries(inputSchema["properties"] as Record<string, { description?: string }>);
  const plainNames = ["limit", "status"];
  for (const [name, { description }] of fields) if (!plainNames.includes(name)) expect(description, name).toBeTruthy();
  expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(/x-kubernetes|\$schema/);
});

test.each(tools.map((tool) => [tool.name, tool] as const))("%s tells truly what it does", (_name, tool) => {
  const { readOnlyHint, destructiveHint } = tool.annotations;
  const looks = /^(list|get|preview)-/.test(tool.name);
  const destroys = /^(prepare|reset|delete|restore)-/.test(tool.name);
  expect({ readOnlyHint, destructiveHint }).toEqual({ readOnlyHint: looks, destructiveHint: destroys });
});
