import type { GuardPolicy } from "../../../src/guard/policy.ts";

/** One attempt to have a forbidden address dialled, as data. It runs in `inside.ts`, through each of our ways in. */
export interface Bypass {
  attack: string;
  url: string;
  /** What the namespace's DNS server answers, name by name: its first answer, its second, …; the last one again and again. */
  dns?: Record<string, Reply[]>;
  guard?: GuardPolicy;
  /** What the API says before anything is dialled: a UrlError's code, or `passes`. */
  api: string;
  /** What worker and prober say: an error's code, or `reaches` with the address of one that may be reached. */
  dial: string;
  /** Of one that reaches: how it ends. */
  ends?: string;
}

/** Of one query: A and AAAA are counted apart. */
export interface Reply {
  a?: string[];
  aaaa?: string[];
  cname?: string;
  /** 3: there is no such name. */
  rcode?: number;
}

/** The cluster's own ranges, of which one is public; one private address is allowed. */
export const usual: GuardPolicy = {
  allow: ["10.250.0.7/32", "fd99::7/128"],
  refuse: ["10.96.0.0/12", "45.45.0.0/16", "2a01:4f8:cafe::/48"],
};

/** Where packets may go: addresses that the corpus names and nobody forbids. */
export const reachable = [
  "45.33.32.156",
  "45.33.32.157",
  "8.0.0.1",
  "2a00:1450:4001:81b::200e",
  "10.250.0.7",
  "fd99::7",
];

/** Of the namespace's DNS server. */
export const nameServer = "9.9.9.9";

const schemes = { mysql: "mysql", postgres: "postgres" } as const;

export const urlTo = (host: string, engine: keyof typeof schemes = "mysql", rest = "/shop"): string =>
  `${schemes[engine]}://shop:planted-s3cr3t@${host}${rest}`;
