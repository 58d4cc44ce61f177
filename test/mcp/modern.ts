/** Requests of the newest revision of the protocol, which have no handshake. */

export const meta = (version: string) => ({
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
});
/** A request of the newest revision. */
export const modern = (method: string) => ({
  headers: {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
  },
  body: { jsonrpc: "2.0", id: 1, method, params: { _meta: meta("2026-07-28") } },
});
