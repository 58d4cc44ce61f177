import { execFileSync } from "node:child_process";
import { nameServer } from "./corpus/case.ts";

/** Counts what leaves a socket of this network namespace, by the kernel's own filter. */

export interface Counted {
  /** From and to the addresses that were named, and DNS. */
  allowed: number;
  /** All else. */
  forbidden: number;
}

const tools = ["iptables", "ip6tables"] as const;

/** Rules that let pass what is expected; the last one takes, and counts, whatever else leaves. */
export function countPackets(expected: readonly string[]): void {
  for (const tool of tools) {
    const six = tool === "ip6tables";
    const pass = (...rule: string[]) => execFileSync(tool, ["-A", "OUTPUT", ...rule, "-j", "ACCEPT"]);
    if (!six) {
      pass("-p", "udp", "-d", nameServer, "--dport", "53");
      pass("-p", "udp", "-s", nameServer, "--sport", "53");
    }
    for (const address of expected.filter((one) => one.includes(":") === six)) {
      pass("-d", address);
      pass("-s", address);
    }
    execFileSync(tool, ["-A", "OUTPUT"]);
  }
}

export function countedPackets(): Counted {
  const [four, six] = tools.map((tool) => {
    const lines = execFileSync(tool, ["-L", "OUTPUT", "-vnx"], { encoding: "utf8" }).trim().split("\n").slice(2);
    const counts = lines.map((line) => Number(line.trim().split(/\s+/)[0]));
    const forbidden = counts.pop() ?? Number.NaN;
    return { allowed: counts.reduce((sum, count) => sum + count, 0), forbidden };
  });
  const sum = (key: keyof Counted) => (four?.[key] ?? Number.NaN) + (six?.[key] ?? Number.NaN);
  return { allowed: sum("allowed"), forbidden: sum("forbidden") };
}
