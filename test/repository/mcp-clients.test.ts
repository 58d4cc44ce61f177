import { readFileSync } from "node:fs";
import { lexer } from "marked";
import { parse as parseToml } from "smol-toml";
import { expect, it } from "vitest";
import { connectCommand } from "../../dev/demo/connect.ts";
import { mcpServers } from "../../src/mcp/servers.ts";
import { reportLists } from "../../src/mcp/tools/report-lines.ts";

/** The configurations of docs/mcp.md, by the heading above them. */
const blocks = new Map<string, string[]>();
let heading = "";
for (const token of lexer(readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8"))) {
  if (token.type === "heading") heading = token["text"] as string;
  if (token.type === "code") blocks.set(heading, [...(blocks.get(heading) ?? []), token["text"] as string]);
}

const block = (client: string, at = 0): string => blocks.get(client)?.[at] ?? "";
/** As a client puts a variable into a header. */
const bearer = (variable: string) => ({ Authorization: `Bearer \${${variable}}` });
const url = "https://rowferry.example.com/mcp-migrations";

it("describes each list of get-migration-tool, and no other", () => {
  const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
  const section = /^## Log and report$([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
  const rows = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name).slice(1);
  expect(rows).toEqual(["log", ...Object.keys(reportLists)]);
});

it("names the path of a server, to the letter", () => {
  expect(mcpServers.map(({ path }) => path)).toContain(new URL(url).pathname);
  for (const [client, texts] of blocks)
    for (const text of texts) expect(text.match(/https:\/\/[^\s"]+/g), client).toEqual([url]);
});

it.each([
  ["Claude Code", { mcpServers: { rowferry: { type: "http", url, headers: bearer("ROWFERRY_TOKEN") } } }, 1],
  ["Cursor", { mcpServers: { rowferry: { url, headers: bearer("env:ROWFERRY_TOKEN") } } }, 0],
  ["Gemini CLI", { mcpServers: { rowferry: { httpUrl: url, headers: bearer("ROWFERRY_TOKEN") } } }, 0],
])("the configuration of %s has the URL and the header, and no field that it would not know", (client, wanted, at) => {
  expect(JSON.parse(block(client, at))).toEqual(wanted);
});

it("the configuration of VS Code takes the token that it asks for", () => {
  const { inputs, servers } = JSON.parse(block("VS Code"));
  expect(inputs).toMatchObject([{ type: "promptString", id: "rowferry-token", password: true }]);
  expect(servers).toEqual({ rowferry: { type: "http", url, headers: bearer("input:rowferry-token") } });
});

it("the configuration of Claude Desktop goes by mcp-remote, with the header from the environment", () => {
  const { command, args, env } = JSON.parse(block("Claude Desktop")).mcpServers.rowferry;
  expect(command).toBe("npx");
  expect(args).toEqual(expect.arrayContaining(["mcp-remote", url, "--header"]));
  const header = String(args[args.indexOf("--header") + 1]).replace(/\$\{(\w+)\}/, (_, name) => env[name]);
  expect(header).toBe("Authorization:Bearer <API_TOKEN>");
});

it("the configuration of Codex names the variable, and holds no token", () => {
  expect(parseToml(block("Codex"))).toEqual({
    mcp_servers: { rowferry: { url, bearer_token_env_var: "ROWFERRY_TOKEN" } },
  });
});

it.each([
  ["Claude Code", "claude mcp add --transport http rowferry"],
  ["MCP Inspector", "npx @modelcontextprotocol/inspector --cli"],
])("the command of %s has the URL and the header", (client, begins) => {
  const command = block(client);
  expect(command.startsWith(`${begins} ${url} `)).toBe(true);
  expect(command).toContain('--header "Authorization: Bearer $ROWFERRY_TOKEN"');
});

it("the demo prints the command of Claude Code", () => {
  const at = { baseUrl: "https://rowferry.example.com", token: "$ROWFERRY_TOKEN" };
  expect(connectCommand(at)).toBe(block("Claude Code"));
});
