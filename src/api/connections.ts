import { BlockList, isIPv6, type Server, type Socket } from "node:net";
import { clientOf, plainAddress } from "../requests/client-address.ts";
import { createCounts } from "../requests/counts.ts";

/**
 * Bounds how many connections one address may have at the same time, so that one client cannot take all that a replica has. An IPv6
 * address counts with its /64, which is one client's. What comes by a trusted proxy is many clients', and counts only for the whole.
 */
export interface ConnectionBounds {
  /** 0: any number. */
  most: number;
  /** Addresses or CIDRs of trusted proxies. */
  proxies: readonly string[];
}

/** Answers how many addresses have a connection. */
export function boundConnections(server: Pick<Server, "on">, { most, proxies }: ConnectionBounds): () => number {
  const trusted = listOf(proxies);
  const open = createCounts();
  server.on("connection", (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? "");
    if (most === 0 || trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4")) return;
    const client = clientOf(address);
    if (open.of(client) >= most) {
      socket.destroy();
      return;
    }
    open.change(client, 1);
    socket.once("close", () => open.change(client, -1));
  });
  return open.names;
}

function listOf(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const one of proxies) {
    const [net = "", bits] = one.split("/");
    const family = isIPv6(net) ? "ipv6" : "ipv4";
    list.addSubnet(net, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
  }
  return list;
}
