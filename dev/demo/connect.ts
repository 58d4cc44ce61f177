/** The command by which a client of MCP is connected, as docs/mcp.md has it. */
export const connectCommand = ({ baseUrl, token }: { baseUrl: string; token: string }): string =>
  `claude mcp add --transport http rowferry ${baseUrl}/mcp-migrations --header "Authorization: Bearer ${token}"`;
