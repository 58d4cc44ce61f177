import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Caller } from "../api/http.ts";

/** For clients of the protocol that can be told no token: plain HTTP on loopback, which adds it; all else goes through as it is. */
export interface TokenProxy {
  origin: string;
  close(): void;
}

/** `caller`: where it leads, which may be started after it, since it has to know its origin. */
export async function startTokenProxy(token: string, caller: () => Caller): Promise<TokenProxy> {
  const server = createServer(async (request, response) => {
    const { connection, ...headers } = request.headersDistinct;
    const raw = await buffer(request);
    const answer = await caller().open(request.url ?? "", {
      method: request.method ?? "GET",
      token,
      headers: headers as Record<string, string[]>,
      ...(raw.length > 0 ? { raw } : {}),
    });
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
