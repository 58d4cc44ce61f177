import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";
import { parseAddress } from "../../src/guard/address.ts";
import type { Reply } from "./corpus/case.ts";

/** A DNS server over UDP that answers what a case says, and forgets nothing of what it was asked. */

const types = { 1: "A", 5: "CNAME", 28: "AAAA" } as const;
const notThere = 3;

export interface NameServer {
  /** From now on these answers, from their first one. */
  answer(names: Record<string, Reply[]>): void;
  /** How often each name was asked for an IPv4 address since `answer`. */
  counts(): Record<string, number>;
  close(): void;
}

export function startNameServer(address: string): Promise<NameServer> {
  let names: Record<string, Reply[]> = {};
  let counts = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (question, { address: from, port }) => {
    const { name, type, end } = readQuestion(question);
    const key = `${type} ${name}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const records: Buffer[] = [];
    const code = collect(name, type, count, names, records);
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8580 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, from);
  });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(53, address, () =>
      resolve({
        answer(next) {
          names = next;
          counts = new Map();
        },
        counts: () =>
          Object.fromEntries(
            [...counts].flatMap(([key, count]) =>
              key.startsWith("1 ") && key.slice(2) in names ? [[key.slice(2), count]] : [],
            ),
          ),
        close: () => socket.close(),
      }),
    );
  });
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join("."), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** Answers the code; follows aliases as a recursive server does. */
function collect(name: string, type: number, count: number, names: Record<string, Reply[]>, records: Buffer[]): number {
  const replies = names[name];
  const reply = replies?.[Math.min(count, replies.length - 1)];
  if (reply === undefined) return notThere;
  if (reply.rcode !== undefined) return reply.rcode;
  if (reply.cname !== undefined) {
    records.push(record(name, 5, encodeName(reply.cname)));
    // An alias of itself goes round a few times.
    if (records.length < 4) collect(reply.cname, type, count, names, records);
    return 0;
  }
  const addresses = types[type as keyof typeof types] === "A" ? reply.a : type === 28 ? reply.aaaa : [];
  for (const address of addresses ?? []) records.push(record(name, type, encodeAddress(address)));
  return 0;
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")])),
    Buffer.from([0]),
  ]);

function encodeAddress(address: string): Buffer {
  const value = parseAddress(address)?.value ?? 0n;
  return Buffer.from(value.toString(16).padStart(isIPv4(address) ? 8 : 32, "0"), "hex");
}
