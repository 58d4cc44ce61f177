import { describe, expect, test } from "vitest";
import { judgeAddress, parseCidrs } from "./policy.ts";

const none = { allow: [], refuse: [] };
const why = (address: string, policy: { allow: string[]; refuse: string[] } = none) => {
  const judged = judgeAddress(address, policy);
  return judged.allowed ? "allowed" : judged.why;
};

describe("without a policy", () => {
  test.each([
    ["8.8.8.8", "allowed"],
    ["1.1.1.1", "allowed"],
    ["172.15.255.255", "allowed"],
    ["172.32.0.0", "allowed"],
    ["100.63.255.255", "allowed"],
    ["100.128.0.0", "allowed"],
    ["223.255.255.255", "allowed"],
    ["2606:4700:4700::1111", "allowed"],
    ["2a00:1450:4001:81b::200e", "allowed"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["::", "unspecified"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.255", "loopback"],
    ["::1", "loopback"],
    ["169.254.0.1", "link-local"],
    ["fe80::1", "link-local"],
    ["febf:ffff::1", "link-local"],
    ["169.254.169.254", "metadata"],
    ["169.254.170.2", "metadata"],
    ["168.63.129.16", "metadata"],
    ["100.100.100.200", "metadata"],
    ["192.0.0.192", "metadata"],
    ["fd00:ec2::254", "metadata"],
    ["fd20:ce::254", "metadata"],
    ["10.0.0.0", "private"],
    ["10.255.255.255", "private"],
    ["172.16.0.0", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["100.64.0.0", "cgnat"],
    ["100.127.255.255", "cgnat"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["ff02::1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["192.0.2.1", "documentation"],
    ["198.51.100.1", "documentation"],
    ["203.0.113.1", "documentation"],
    ["2001:db8::1", "documentation"],
    ["3fff:fff::1", "documentation"],
    ["198.18.0.1", "benchmark"],
    ["198.19.255.255", "benchmark"],
    ["2001:2::1", "benchmark"],
    ["192.0.0.1", "reserved"],
    ["192.88.99.1", "reserved"],
    ["240.0.0.1", "reserved"],
    ["100::1", "reserved"],
    ["2001:20::1", "reserved"],
    ["5f00::1", "reserved"],
    ["4000::1", "reserved"],
    ["fd12:3456::1", "unique-local"],
    ["fc00::1", "unique-local"],
    ["fec0::1", "site-local"],
    ["::ffff:8.8.8.8", "ipv4-mapped"],
    ["::ffff:7f00:1", "ipv4-mapped"],
    ["::ffff:0:8.8.8.8", "ipv4-translated"],
    ["::8.8.8.8", "ipv4-compatible"],
    ["64:ff9b::808:808", "nat64"],
    ["64:ff9b:1::808:808", "nat64"],
    ["2002:808:808::1", "6to4"],
    ["2001::1", "teredo"],
    ["2606:4700::5efe:808:808", "isatap"],
    ["2606:4700::200:5efe:808:808", "isatap"],
    ["fe80::1%eth0", "malformed"],
    ["127.1", "malformed"],
    ["0177.0.0.1", "malformed"],
    ["", "malformed"],
  ])("%s is %s", (address, expected) => expect(why(address)).toBe(expected));
});

describe("allow and refuse", () => {
  test.each([
    ["a range that is allowed", "10.1.2.3", ["10.0.0.0/8"], [], "allowed"],
    ["one beside it", "11.1.2.3", ["10.0.0.0/8"], ["11.0.0.0/8"], "cluster"],
    ["a longer refusal", "10.96.0.1", ["10.0.0.0/8"], ["10.96.0.0/12"], "cluster"],
    ["a still longer permission", "10.96.5.7", ["10.0.0.0/8", "10.96.5.7/32"], ["10.96.0.0/12"], "allowed"],
    ["a tie", "10.1.2.3", ["10.0.0.0/8"], ["10.0.0.0/8"], "cluster"],
    ["an address without a prefix", "10.1.2.3", ["10.1.2.3"], [], "allowed"],
    [
      "all of IPv4, and metadata",
      "169.254.169.254",
      ["0.0.0.0/0", "169.254.0.0/16", "169.254.169.254/31"],
      [],
      "metadata",
    ],
    ["metadata by its name", "169.254.169.254", ["169.254.169.254/32"], [], "allowed"],
    ["metadata by its name, refused as well", "169.254.169.254", ["169.254.169.254"], ["169.254.169.254"], "cluster"],
    ["all of IPv6, and metadata", "fd00:ec2::254", ["::/0", "fc00::/7"], [], "metadata"],
    ["all of IPv6, and mapped metadata", "::ffff:169.254.169.254", ["::/0"], [], "ipv4-mapped"],
    ["all of IPv6, and a mapped private address", "::ffff:10.0.0.1", ["::/0"], [], "ipv4-mapped"],
    [
      "all of IPv6, and a mapped private address that is allowed",
      "::ffff:10.0.0.1",
      ["::/0", "10.0.0.0/8"],
      [],
      "allowed",
    ],
    ["IPv4's range, and its mapped form", "::ffff:10.0.0.1", ["10.0.0.0/8"], [], "ipv4-mapped"],
    ["NAT64 to a public address", "64:ff9b::808:808", ["64:ff9b::/96"], [], "allowed"],
    ["NAT64 to a private one", "64:ff9b::a00:1", ["64:ff9b::/96"], [], "nat64"],
    ["NAT64 to a service", "64:ff9b::808:808", ["64:ff9b::/96"], ["8.8.8.0/24"], "nat64"],
    ["local NAT64, the address inside", "64:ff9b:1:a00:0:100::", ["64:ff9b:1::/48"], [], "nat64"],
    [
      "local NAT64, a public address at the end and a private one inside",
      "64:ff9b:1:a00:0:100:808:808",
      ["64:ff9b:1::/48"],
      [],
      "nat64",
    ],
    ["6to4 to a loopback", "2002:7f00:1::1", ["2002::/16"], [], "6to4"],
    ["6to4 to a public address", "2002:808:808::1", ["2002::/16"], [], "allowed"],
    ["Teredo of a private client", "2001:0:808:808::f5ff:fffe", ["2001::/32"], [], "teredo"],
    ["ISATAP to a private address", "2606:4700::5efe:a00:1", ["2606:4700::/32"], [], "isatap"],
    ["a public range that is refused", "8.8.8.8", [], ["8.8.8.0/24"], "cluster"],
  ])("%s", (_what, address, allow, refuse, expected) => expect(why(address, { allow, refuse })).toBe(expected));
});

test("CIDRs are read from a setting, and a wrong one is named", () => {
  expect(parseCidrs(" 10.0.0.0/8, fd00::/8\n192.168.1.1 ")).toEqual(["10.0.0.0/8", "fd00::/8", "192.168.1.1"]);
  expect(parseCidrs("")).toEqual([]);
  for (const wrong of ["10.0.0.0/33", "10.0.0.1/8", "10.0/8", "fd00::/129", "db", "10.0.0.0/-1", "::1%lo", "1.2.3.4/"])
    expect(() => parseCidrs(`10.0.0.0/8,${wrong}`)).toThrow(`"${wrong}" is not a CIDR`);
});
