import { type Bypass, urlTo } from "./case.ts";

/** What may be dialled, and policies: without them a guard that refuses everything would pass. */

const nearly = { allow: ["0.0.0.0/0", "::/0", "169.254.0.0/16", "127.0.0.0/8"], refuse: ["127.0.0.0/8"] };

export const controls: Bypass[] = [
  ["a public address", urlTo("45.33.32.156"), "45.33.32.156"],
  ["a public address, PostgreSQL", urlTo("45.33.32.156", "postgres"), "45.33.32.156"],
  ["a public IPv6 address", urlTo("[2a00:1450:4001:81b::200e]"), "2a00:1450:4001:81b::200e"],
  ["an address that is allowed", urlTo("10.250.0.7"), "10.250.0.7"],
  ["an IPv6 address that is allowed", urlTo("[fd99::7]", "postgres"), "fd99::7"],
  ["a name", urlTo("shop.good.test"), "45.33.32.156"],
  ["a name of several addresses, the first of which nobody serves", urlTo("several.good.test:3307"), "45.33.32.157"],
  ["a name of an address that is allowed", urlTo("inner.good.test", "postgres"), "10.250.0.7"],
  ["an alias", urlTo("alias.good.test"), "45.33.32.156"],
  ["a name in another script", urlTo("\u0434\u0431.good.test"), "45.33.32.156"],
].map(([attack = "", url = "", address = ""]) => ({
  attack: `control: ${attack}`,
  url,
  dns: {
    "shop.good.test": [{ a: ["45.33.32.156"], aaaa: [] }],
    "several.good.test": [{ a: ["45.33.32.156", "45.33.32.157"] }],
    "inner.good.test": [{ a: ["10.250.0.7"] }],
    "alias.good.test": [{ cname: "shop.good.test" }],
    "xn--90af.good.test": [{ a: ["45.33.32.156"] }],
  },
  api: "passes",
  dial: `reaches ${address}`,
}));

export const policies: Bypass[] = [
  ["all of IPv4 does not open metadata", urlTo("169.254.169.254"), { ...nearly }],
  ["all of IPv6 does not open metadata", urlTo("[fd00:ec2::254]"), { ...nearly }],
  ["a refusal that is as long", urlTo("127.0.0.1"), { ...nearly }],
  ["all of IPv6 does not open mapped metadata", urlTo("[::ffff:169.254.169.254]"), { ...nearly }],
  ["all of IPv6 does not open NAT64 of loopback", urlTo("[64:ff9b::7f00:1]"), { ...nearly }],
  ["all of IPv6 does not open 6to4 of loopback", urlTo("[2002:7f00:1::1]", "postgres"), { ...nearly }],
  ["a longer refusal", urlTo("10.96.0.1"), { allow: ["10.0.0.0/8"], refuse: ["10.96.0.0/12"] }],
  ["a public address that is refused", urlTo("45.33.32.156"), { allow: [], refuse: ["45.33.32.0/24"] }],
].map(([attack, url, guard]) => ({
  attack: `policy: ${attack as string}`,
  url: url as string,
  guard: guard as { allow: string[]; refuse: string[] },
  api: "url_address_refused",
  dial: "address_refused",
}));
