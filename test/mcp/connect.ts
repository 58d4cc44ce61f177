import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** A real client of the protocol. */

export interface Said {
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  data: any;
  isError: boolean;
}

export interface McpClient {
  client: Client;
  call(name: string, input?: Record<string, unknown>): Promise<Said>;
}

export async function connectTo(url: URL, token: string, by: typeof fetch = fetch): Promise<McpClient> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: by,
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    client,
    async call(name, input = {}) {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
      const [first] = content as { text: string }[];
      return { text: first?.text ?? "", data: structuredContent, isError: isError === true };
    },
  };
}
