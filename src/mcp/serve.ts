import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { type CallWorld, callTool } from "./call.ts";
import { listing } from "./listing.ts";
import type { McpServerDescription } from "./tool.ts";

/**
 * Serves one message with a server of its own: nothing is kept between messages, so that any replica answers any of them. Both the
 * revision of 2026 and clients of 2025 are answered, each with one JSON body and never by a stream.
 */
interface Serving {
  description: McpServerDescription;
  version: string;
}

type Serve = (request: Request, message: unknown, call: CallWorld) => Promise<Response>;

export function createServe({ description, version }: Serving): Serve {
  const { name, title, instructions, tools } = description;
  // The same text each time, so that a client's cache of it holds.
  const listed = tools.map(listing);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  function serverFor(call: CallWorld): Server {
    const server = new Server({ name, title, version }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler("tools/list", () => ({ tools: listed }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const tool = byName.get(params.name);
      if (tool === undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `Unknown tool. The tools are ${[...byName.keys()].join(", ")}.`,
        );
      return { ...(await callTool(tool, params.arguments, call)) };
    });
    return server;
  }

  return async (request, message, call) => {
    if (!(await isLegacyRequest(request, message))) {
      // Nothing here changes while a client looks, so that there is nothing to subscribe to.
      const handler = createMcpHandler(() => serverFor(call), { legacy: "reject", maxSubscriptions: 0 });
      return handler.fetch(request, { parsedBody: message });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = serverFor(call);
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody: message });
    } finally {
      await server.close();
    }
  };
}
