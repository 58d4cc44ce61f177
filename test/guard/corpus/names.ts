import { type Bypass, type Reply, urlTo } from "./case.ts";

/** Names that stand for a forbidden address: at once, beside others, behind others, or from the second question on. */

const good = "45.33.32.156";
const good6 = "2a00:1450:4001:81b::200e";
const refused = { api: "passes", dial: "address_refused" };

const resolved = (attack: string, replies: Reply[], engine: "mysql" | "postgres" = "mysql"): Bypass => {
  const name = `${attack.replace(/[^a-z0-9]+/gi, "-").toLowerCase()}.evil.test`;
  return { attack, url: urlTo(name, engine), dns: { [name]: replies }, ...refused };
};

const simple: Bypass[] = [
  resolved("a name of loopback", [{ a: ["127.0.0.1"] }]),
  resolved("a name of IPv6 loopback", [{ aaaa: ["::1"] }], "postgres"),
  resolved("a name of metadata", [{ a: ["169.254.169.254"] }]),
  resolved("a name of IPv6 metadata", [{ aaaa: ["fd00:ec2::254"] }], "postgres"),
  resolved("a name of a private address", [{ a: ["192.168.7.7"] }]),
  resolved("a name of a service", [{ a: ["10.96.0.1"] }], "postgres"),
  resolved("a name in the cluster's public range", [{ a: ["45.45.0.9"] }]),
  resolved("a name of this host", [{ a: ["0.0.0.0"] }], "postgres"),
  resolved("a name of multicast", [{ a: ["224.0.0.1"] }]),
  resolved("a name of a mapped address", [{ aaaa: ["::ffff:127.0.0.1"] }]),
  resolved("a name of a mapped public address", [{ aaaa: [`::ffff:${good}`] }], "postgres"),
  resolved("a name of NAT64", [{ aaaa: ["64:ff9b::7f00:1"] }]),
  resolved("a name of link-local", [{ aaaa: ["fe80::1"] }], "postgres"),
  resolved("a name of 6to4", [{ aaaa: ["2002:7f00:1::1"] }]),
];

const mixed: Bypass[] = [
  resolved("a good and a bad address", [{ a: [good, "127.0.0.1"] }]),
  resolved("a bad and a good address", [{ a: ["127.0.0.1", good] }], "postgres"),
  resolved("good IPv4 and bad IPv6", [{ a: [good], aaaa: ["::1"] }]),
  resolved("bad IPv4 and good IPv6", [{ a: ["169.254.169.254"], aaaa: [good6] }], "postgres"),
  resolved("one bad among twenty", [
    { a: [...Array.from({ length: 19 }, (_, at) => `45.33.32.${at + 1}`), "10.0.0.1"] },
  ]),
  resolved("a bad one behind those that are tried", [
    { a: ["45.33.32.1", "45.33.32.2", "45.33.32.3", "45.33.32.4", "127.0.0.1"] },
  ]),
];

const aliased = (attack: string, ...chain: Reply[]): Bypass => {
  const base = attack.replace(/[^a-z0-9]+/gi, "-").toLowerCase();
  const names = chain.map((_, at) => `${base}-${at}.evil.test`);
  const dns = Object.fromEntries(
    chain.map((reply, at) => [names[at], [reply.cname === "next" ? { cname: names[at + 1] ?? "" } : reply]]),
  ) as Record<string, Reply[]>;
  return { attack, url: urlTo(names[0] ?? ""), dns, ...refused };
};

const aliases: Bypass[] = [
  aliased("an alias of loopback", { cname: "next" }, { a: ["127.0.0.1"] }),
  aliased("an alias of an alias", { cname: "next" }, { cname: "next" }, { aaaa: ["fd00:ec2::254"] }),
  aliased("an alias of good and bad", { cname: "next" }, { a: [good, "10.0.0.1"] }),
  {
    ...aliased("an alias of itself", { cname: "an-alias-of-itself-0.evil.test" }),
    dial: "host_not_found",
  },
  {
    ...aliased("an alias of a number", { cname: "2130706433" }),
    dial: "host_not_found",
  },
];

/** The address changes between two questions. Each dial asks anew: one that is good at first may be dialled, a later one may not. */
const changing: Bypass[] = [
  {
    ...resolved("rebinding: good at first, loopback then", [{ a: [good] }, { a: ["127.0.0.1"] }]),
    dial: "reaches 45.33.32.156",
  },
  {
    ...resolved("rebinding to metadata, PostgreSQL", [{ a: [good] }, { a: ["169.254.169.254"] }], "postgres"),
    ends: "host_not_found",
    // The answer "no TLS here" makes it dial again: by then the name is another's.
    dial: "reaches 45.33.32.156",
  },
  {
    ...resolved("rebinding of the other family", [{ a: [good] }, { aaaa: ["::1"] }]),
    dial: "reaches 45.33.32.156",
  },
  resolved("rebinding: loopback at first, good then", [{ a: ["127.0.0.1"] }, { a: ["127.0.0.1"] }, { a: [good] }]),
  {
    ...resolved("rebinding to nothing", [{ a: [good] }, { rcode: 3 }], "postgres"),
    dial: "reaches 45.33.32.156",
  },
];

const special: [attack: string, host: string, api: string, dial: string][] = [
  ["localhost", "localhost", "url_address_refused", "address_refused"],
  ["localhost in capitals", "LOCALHOST", "url_address_refused", "address_refused"],
  ["localhost with a dot", "localhost.", "url_address_refused", "host_not_found"],
  ["a name under localhost", "db.localhost", "url_address_refused", "host_not_found"],
  ["localhost in full-width letters", "ｌｏｃａｌｈｏｓｔ", "url_address_refused", "address_refused"],
  ["localhost with a long s", "localho\u017ft", "url_address_refused", "address_refused"],
  ["localhost, percent-encoded", "%6c%6f%63alhost", "url_address_refused", "address_refused"],
  ["another name of this host", "ip6-localhost", "passes", "address_refused"],
  ["the host's own name", "canary-host", "passes", "address_refused"],
  ["Kubernetes by its short name", "kubernetes.default", "passes", "address_refused"],
  ["Kubernetes by its whole name", "kubernetes.default.svc.cluster.local", "passes", "address_refused"],
  ["Google's metadata by name", "metadata.google.internal", "passes", "address_refused"],
  ["a name that the search list completes", "internal", "passes", "address_refused"],
  ["a name that is not there", "nobody.evil.test", "passes", "host_not_found"],
  ["an empty label", "db..evil.test", "url_malformed", "host_not_found"],
  ["a dot alone", ".", "url_malformed", "host_not_found"],
  ["a label of 64", `${"a".repeat(64)}.evil.test`, "url_malformed", "host_not_found"],
  ["a name of 254", `${"a.".repeat(127)}`, "url_malformed", "url_malformed"],
  ["a name without end", `${"a".repeat(5000)}.test`, "url_malformed", "url_malformed"],
  ["Punycode that is none", "xn--a\u00e4.evil.test", "url_malformed", "url_malformed"],
  ["an emoji", "\u{1f418}.evil.test", "url_malformed", "url_malformed"],
  ["an option for a program", "-oProxyCommand=id", "url_malformed", "url_malformed"],
];

export const names: Bypass[] = [
  ...simple,
  ...mixed,
  ...aliases,
  ...changing,
  ...special.map(([attack, host, api, dial], at) => ({
    attack,
    url: urlTo(host, at % 2 === 0 ? "mysql" : "postgres"),
    api,
    dial,
  })),
];

/** What each name stands for in every case: the cluster's and the cloud's own. */
export const always: Record<string, Reply[]> = {
  "kubernetes.default.svc.cluster.local": [{ a: ["10.96.0.1"] }],
  "metadata.google.internal": [{ a: ["169.254.169.254"] }],
  "internal.svc.cluster.local": [{ a: ["10.96.0.99"] }],
};
