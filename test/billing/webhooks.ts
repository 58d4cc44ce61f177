import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BillingPlace, webhookSecret } from "./place.ts";

/** Lets the simulator's events reach the API, whose certificate only a test's caller trusts. */
export async function relayWebhooks({ ask, control }: Pick<BillingPlace, "ask" | "control">) {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const signature = String(request.headers["stripe-signature"] ?? "");
    const answer = await ask("/webhooks/stripe", {
      raw: Buffer.concat(parts),
      headers: { "stripe-signature": signature },
    }).catch(() => ({ status: 502, text: "" }));
    response.writeHead(answer.status).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await control("/endpoints", { url: `http://127.0.0.1:${port}/webhooks/stripe`, secrets: [webhookSecret] });
  return {
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
