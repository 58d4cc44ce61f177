import { describe, expect, it } from "vitest";
import {
  type AddressRange,
  classOf,
  type IpAddress,
  parseAddress,
  parseRange,
  special,
  within,
} from "../../src/guard/address.ts";
import { type GuardPolicy, judgeAddress } from "../../src/guard/policy.ts";
import { readConfig } from "../../src/main/operator/config.ts";
import { find, type Rendered, render, template } from "./tools.ts";

/** The network policies: who may reach whom, and that the second wall stands where the guard stands. */

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  podSelector?: { matchLabels: Record<string, string> };
  namespaceSelector?: { matchLabels: Record<string, string> };
}
interface Rule {
  ports?: { protocol: string; port: number }[];
  from?: Peer[];
  to?: Peer[];
}
interface Policy {
  spec: {
    podSelector: { matchLabels: Record<string, string> };
    policyTypes: string[];
    ingress: Rule[];
    egress: Rule[];
  };
}

const policyOf = (objects: readonly Rendered[], name: string) => find<Policy>(objects, "NetworkPolicy", name).spec;
const component = (peer: Peer | undefined) => peer?.podSelector?.matchLabels["app.kubernetes.io/component"];
const portsOf = (rules: readonly Rule[]) => rules.map(({ ports }) => ports?.map(({ port }) => port));
const dns = {
  to: [
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchExpressions: [{ key: "k8s-app", operator: "In", values: ["kube-dns", "node-local-dns"] }] },
    },
    { ipBlock: { cidr: "169.254.20.10/32" } },
  ],
  ports: [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ],
};
const workersEgress = (objects: readonly Rendered[]): Rule[] | undefined => {
  const operator = find<{
    spec: { template: { spec: { containers: [{ env: { name: string; value?: string }[] }] } } };
  }>(objects, "Deployment");
  const env = operator.spec.template.spec.containers[0].env.map(({ name, value }) => [name, value ?? `(${name})`]);
  return readConfig(Object.fromEntries(env)).ROWFERRY_TEAM_EGRESS as Rule[] | undefined;
};

describe("the ways in", () => {
  it("to the prober's calls are the API's alone", async () => {
    const { ingress, podSelector, policyTypes } = policyOf(await render(), "rowferry-prober");
    expect(policyTypes).toEqual(["Ingress", "Egress"]);
    expect(component({ podSelector })).toBe("prober");
    const calls = ingress.filter(({ ports }) => ports?.some(({ port }) => port === 8443));
    expect(calls.map(({ from }) => from?.map(component))).toEqual([["api"]]);
    expect(portsOf(ingress)).toEqual([[8443], [8080]]);
  });

  it.each(["rowferry-operator", "rowferry-api"])("to %s are its two ports", async (name) => {
    expect(portsOf(policyOf(await render(), name).ingress)).toEqual([[8443, 8080]]);
  });
});

describe("the API's ways out", () => {
  it("are the names' server, the Kubernetes API, and the prober", async () => {
    const { egress, policyTypes } = policyOf(await render(), "rowferry-api");
    expect(policyTypes).toEqual(["Ingress", "Egress"]);
    expect(egress[0]).toEqual(dns);
    expect(portsOf(egress)).toEqual([[53, 53], [443, 6443, 8443, 16443], [8443]]);
    expect(egress[2]?.to?.map(component)).toEqual(["prober"]);
  });

  it("are to the API server's addresses alone where they are told", async () => {
    const values = { networkPolicies: { apiServer: { cidrs: ["10.0.0.5/32", "fd00::5/128"], ports: [6443] } } };
    for (const name of ["rowferry-api", "rowferry-operator"])
      expect(policyOf(await render(values), name).egress[1]).toEqual({
        ports: [{ protocol: "TCP", port: 6443 }],
        to: [{ ipBlock: { cidr: "10.0.0.5/32" } }, { ipBlock: { cidr: "fd00::5/128" } }],
      });
  });

  it.each<[string, object, object]>([
    ["of redis.url at its port", { redis: { url: "redis://cache:6380/0" } }, { ports: [6380] }],
    ["of redis.url with parameters", { redis: { url: "redis://cache:6380?db=1" } }, { ports: [6380] }],
    ["of redis.url at the usual port", { redis: { url: "rediss://cache/0" } }, { ports: [6379] }],
    ["of an IPv6 address", { redis: { url: "redis://[fd00::7]:6381" } }, { ports: [6381] }],
    [
      "of a Secret, at the port that is told",
      { redis: { secret: { name: "cache" } }, networkPolicies: { redis: { port: 25_061 } } },
      { ports: [25_061] },
    ],
    [
      "of a Secret, at the pods that are named",
      {
        redis: { secret: { name: "cache" } },
        networkPolicies: { redis: { port: 7000, to: [{ podSelector: { matchLabels: { app: "redis" } } }] } },
      },
      { ports: [7000], to: [{ podSelector: { matchLabels: { app: "redis" } } }] },
    ],
  ])("are to Redis beside: %s", async (_name, values, expected) => {
    const { egress } = policyOf(await render(values), "rowferry-api");
    expect(egress).toHaveLength(4);
    const { ports, ...rest } = egress[3] ?? {};
    expect({ ports: ports?.map(({ port }) => port), ...rest }).toEqual(expected);
  });

  it("are not guessed where a Secret hides the port of Redis, unless nothing is to be cut off", async () => {
    for (const url of ["", "redis://cache:6380/0"]) {
      const redis = { url, secret: { name: "cache" } };
      const { code, stderr } = await template({ redis });
      expect(code).not.toBe(0);
      expect(stderr).toContain("set networkPolicies.redis.port");
      expect((await template({ redis, networkPolicies: { enabled: false } })).code).toBe(0);
    }
  });
});

it("the operator's ways out are the names' server and the Kubernetes API, also where there is no API of ours", async () => {
  const objects = await render({ api: { enabled: false } });
  expect(portsOf(policyOf(objects, "rowferry-operator").egress)).toEqual([
    [53, 53],
    [443, 6443, 8443, 16443],
  ]);
  expect(objects.filter(({ kind }) => kind === "NetworkPolicy")).toHaveLength(1);
});

it("the values of an earlier chart, which say nothing of them, are refused with the fix", async () => {
  const { code, stderr } = await template({ networkPolicies: { apiServer: null, dns: null } });
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/--reset-then-reuse-values/);
});

it("another names' server can be named, for all of them", async () => {
  const to = [{ podSelector: { matchLabels: { app: "dns" } } }, { ipBlock: { cidr: "169.254.20.10/32" } }];
  const objects = await render({ networkPolicies: { dns: { to, ports: [5353] } } });
  const rules = ["operator", "api", "prober"].map((name) => policyOf(objects, `rowferry-${name}`).egress[0]);
  for (const rule of [...rules, workersEgress(objects)?.[0]]) {
    expect(rule?.to).toEqual(to);
    expect(rule?.ports?.map(({ port }) => port)).toEqual([5353, 5353]);
  }
});

describe("the workers' ways out in teams' namespaces", () => {
  it("are the prober's, and the one to the operator", async () => {
    const objects = await render({
      guard: { allow: ["10.20.0.0/16"], refuse: ["8.8.8.0/24"] },
      networkPolicies: { egress: [{ to: [{ podSelector: {} }] }] },
    });
    const egress = workersEgress(objects) ?? [];
    expect(egress.slice(0, -1)).toEqual(policyOf(objects, "rowferry-prober").egress);
    expect(egress.at(-2)).toEqual({ to: [{ podSelector: {} }] });
    expect(egress.at(-1)).toMatchObject({
      to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "rowferry-system" } } }],
      ports: [{ protocol: "TCP", port: 8443 }],
    });
    const { metadata } = find<{ spec: { template: { metadata: { labels: object } } } }>(objects, "Deployment").spec
      .template;
    expect(metadata.labels).toMatchObject(egress.at(-1)?.to?.[0]?.podSelector?.matchLabels ?? { none: "" });
  });
});

describe("the second wall stands where the guard stands", () => {
  const bits = { 4: 32, 6: 128 } as const;
  const textOf = ({ family, value }: IpAddress): string =>
    family === 4
      ? [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")
      : Array.from({ length: 8 }, (_, group) => ((value >> BigInt(112 - 16 * group)) & 0xffffn).toString(16)).join(":");
  /** Its first and last address, and those beside them. */
  const edges = ({ family, value, prefix }: AddressRange): string[] => {
    const last = value | ((1n << BigInt(bits[family] - prefix)) - 1n);
    return [value - 1n, value, last, last + 1n]
      .filter((one) => one >= 0n && one < 1n << BigInt(bits[family]))
      .map((one) => textOf({ family, value: one }));
  };
  const rangesOf = (texts: readonly string[]) => texts.map((text) => parseRange(text) as AddressRange);
  const fixed = special.flatMap(([, texts]) => texts.split(" "));
  const publicOnes = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450::1", "2000::", "4000::"];

  function letsThrough(egress: readonly Rule[], text: string): boolean {
    const address = parseAddress(text) as IpAddress;
    const inside = (cidr: string) => within(address, parseRange(cidr) as AddressRange);
    return egress.some(({ to }) =>
      to?.some(({ ipBlock }) => ipBlock && inside(ipBlock.cidr) && !ipBlock.except?.some(inside)),
    );
  }
  /** Behind a form of IPv6 that leads to IPv4 the inner address counts, which no policy can say. */
  const leadsOn = ["nat64", "ipv4-mapped", "ipv4-translated", "ipv4-compatible", "6to4", "teredo", "isatap"];

  it.each<[string, Partial<GuardPolicy>]>([
    ["by default", {}],
    ["with a private range", { allow: ["10.20.0.0/16"], refuse: ["8.8.8.0/24", "2600::/12"] }],
    [
      "with a network but its services, and one service",
      { allow: ["10.0.0.0/8", "10.96.5.7/32"], refuse: ["10.96.0.0/12"] },
    ],
    ["with the same range in both", { allow: ["10.20.0.0/16"], refuse: ["10.20.0.0/16"] }],
    ["with all that is link-local", { allow: ["169.254.0.0/16", "fe80::/10"] }],
    ["with an address of the metadata", { allow: ["169.254.169.254/32", "fd00:ec2::254/128"] }],
    ["with everything", { allow: ["0.0.0.0/0", "::/0"] }],
    ["with unique-local addresses but a few", { allow: ["fc00::/7"], refuse: ["fd12:3456::/32"] }],
    ["with NAT64", { allow: ["64:ff9b::/96"] }],
    ["with all of IPv6 refused", { refuse: ["::/0"] }],
    ["with all of IPv4 refused but one address", { allow: ["8.8.8.8/32"], refuse: ["0.0.0.0/0"] }],
  ])("%s", async (_name, { allow = [], refuse = [] }) => {
    const { egress } = policyOf(await render({ guard: { allow, refuse } }), "rowferry-prober");
    const samples = new Set([...publicOnes, ...rangesOf([...fixed, ...allow, ...refuse]).flatMap(edges)]);
    const wrong: string[] = [];
    for (const text of samples) {
      const { allowed } = judgeAddress(text, { allow, refuse });
      const through = letsThrough(egress, text);
      const mayDiffer = !allowed && leadsOn.includes(classOf(parseAddress(text) as IpAddress) ?? "");
      if (allowed !== through && !mayDiffer) wrong.push(`${text}: guard ${allowed}, policy ${through}`);
    }
    expect(wrong).toEqual([]);
    expect(samples.size).toBeGreaterThan(100);
  });

  it("also behind NAT64, for the addresses on which clouds tell secrets", async () => {
    const { egress } = policyOf(await render({ guard: { allow: ["64:ff9b::/96", "::/0"] } }), "rowferry-prober");
    const secrets = (special.find(([why]) => why === "metadata")?.[1] ?? "").split(" ");
    expect(secrets.length).toBeGreaterThan(3);
    for (const text of secrets)
      expect(
        letsThrough(
          egress,
          textOf({ family: 6, value: (0x64_ff9bn << 96n) | (parseAddress(text) as IpAddress).value }),
        ),
        text,
      ).toBe(false);
    expect(letsThrough(egress, "64:ff9b::808:808")).toBe(true);
  });

  it("with exceptions that Kubernetes takes: each inside its block, and not the whole of it", async () => {
    const objects = await render({
      guard: {
        allow: ["10.0.0.0/8", "0.0.0.0/0", "fd00::/8"],
        refuse: ["10.0.0.0/8", "fd00::/8", "0.0.0.0/1", "2000::/4"],
      },
    });
    const blocks = policyOf(objects, "rowferry-prober").egress.flatMap(
      ({ to }) => to?.flatMap((peer) => peer.ipBlock ?? []) ?? [],
    );
    expect(blocks.map(({ cidr }) => cidr)).toEqual(["169.254.20.10/32", "0.0.0.0/0", "2000::/3", "0.0.0.0/0"]);
    for (const { cidr, except = [] } of blocks) {
      const block = parseRange(cidr) as AddressRange;
      for (const range of rangesOf(except)) {
        expect(within(range, block), cidr).toBe(true);
        expect(range.prefix).toBeGreaterThan(block.prefix);
      }
    }
  });

  it.each(["10.0.0.1/8", "300.0.0.0/8", "10.0.0.0/33", "fd00::/129", "1:2::3::4/64", "1.2.3/24", "g::/8", "10.0.0.0"])(
    "and a CIDR that is none is refused: %s",
    async (cidr) => {
      const { code, stderr } = await template({ guard: { allow: [cidr] } });
      expect(code).not.toBe(0);
      expect(stderr).toContain(cidr);
    },
  );
});

it("are left out on demand", async () => {
  const objects = await render({ networkPolicies: { enabled: false } });
  expect(objects.map(({ kind }) => kind)).not.toContain("NetworkPolicy");
  expect(workersEgress(objects)).toBeUndefined();
});
