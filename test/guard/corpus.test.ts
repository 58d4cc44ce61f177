import { isIP } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { parseDatabaseUrl, UrlError } from "../../src/guard/url.ts";
import type { Bypass } from "./corpus/case.ts";
import { bypasses, controls } from "./corpus/index.ts";
import type { Packets, Ran } from "./inside.ts";
import { runInNamespace } from "./namespace.ts";

/** Every way that was thought of to have a forbidden address dialled, through API, worker and prober: not one packet gets there. */

const ran = new Map<string, Ran>();
let packets: Packets | undefined;

beforeAll(async () => {
  await runInNamespace("inside.ts", (text) => {
    const line = JSON.parse(text) as Ran | { packets: Packets };
    if ("packets" in line) packets = line.packets;
    else ran.set(line.attack, line);
  });
});

const resultOf = (attack: string): Ran => {
  const found = ran.get(attack);
  if (found === undefined) throw new Error("it did not run");
  return found;
};

/** A name that leads where it may not is not told from one that leads nowhere, neither by a worker nor by the prober. */
function dialCode({ url, dial }: Bypass): string {
  if (dial !== "address_refused") return dial;
  try {
    return isIP(parseDatabaseUrl(url).host) === 0 ? "host_not_found" : dial;
  } catch (error) {
    if (error instanceof UrlError) return error.code;
    throw error;
  }
}

const answersOf = ({ dns = {} }: Bypass): string[] =>
  Object.values(dns).flatMap((replies) => replies.flatMap(({ a = [], aaaa = [] }) => [...a, ...aaaa]));

test("the corpus has at least 150 attacks, each under a name of its own", () => {
  expect(bypasses.length).toBeGreaterThanOrEqual(150);
  expect(new Set([...bypasses, ...controls].map(({ attack }) => attack)).size).toBe(bypasses.length + controls.length);
});

test("not one packet went to a forbidden address, while some went to those that are allowed", () => {
  expect(packets).toMatchObject({ forbidden: 0 });
  expect(packets?.allowed).toBeGreaterThan(100);
});

test("the counter and the canaries see one that is dialled without a guard", () => {
  expect(packets?.control).toBeGreaterThan(3);
  expect(packets?.arrived).toEqual(["169.254.169.254", "fd00:ec2::254"]);
});

describe("is refused", () => {
  const stopped = bypasses.filter(({ dial }) => !dial.startsWith("reaches"));
  test.each(stopped)("$attack", (bypass) => {
    const { api, worker, prober, dials } = resultOf(bypass.attack);
    expect({ api, worker: worker.code, prober: prober.code }).toEqual({
      api: bypass.api,
      worker: dialCode(bypass),
      prober: dialCode(bypass),
    });
    expect([...worker.arrived, ...prober.arrived]).toEqual([]);
    expect(dials).toBe(0);
    for (const { message } of [worker, prober]) {
      expect(message).not.toContain("planted-s3cr3t");
      expect(answersOf(bypass).filter((address) => message.includes(address))).toEqual([]);
    }
  });
});

describe.each(["worker", "prober"] as const)("the words of the %s", (way) => {
  const named = bypasses.filter((bypass) => bypass.dial === "address_refused" && dialCode(bypass) === "host_not_found");
  const textOf = ({ attack, url }: Bypass) =>
    resultOf(attack)[way].message.replaceAll(parseDatabaseUrl(url).host, "HOST");

  test("are the same of every name that leads where it may not, and of one that is not there", () => {
    const unknown = bypasses.find(({ attack }) => attack === "a name that is not there");
    if (unknown === undefined) throw new Error("it is no longer in the corpus");
    expect(textOf(unknown)).toContain('host "HOST" has no allowed address');
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((bypass) => textOf(bypass) !== textOf(unknown)).map(({ attack }) => attack)).toEqual([]);
  });
});

describe("arrives where it may, and nowhere else", () => {
  const arriving = [...bypasses, ...controls].filter(({ dial }) => dial.startsWith("reaches"));
  test.each(arriving)("$attack", (bypass) => {
    const { api, worker, prober } = resultOf(bypass.attack);
    expect(api).toBe(bypass.api);
    const address = bypass.dial.slice("reaches ".length);
    expect(worker.arrived).toEqual([address]);
    expect(prober.arrived).toEqual([address]);
    if (bypass.ends !== undefined) expect(worker.code).toBe(bypass.ends);
  });
});
