import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { classOf, parseAddress, parseRange, within } from "../../src/guard/address.ts";
import { parseDatabaseUrl } from "../../src/guard/url.ts";
import { addresses } from "./corpus/addresses.ts";

/** The chart's NetworkPolicy cuts out what the guard refuses: two lists, which may not drift apart. */

const root = resolve(import.meta.dirname, "../..");
const values = parse(readFileSync(join(root, "charts/rowferry/values.yaml"), "utf8")) as {
  networkPolicies: { except: { v4: string[]; v6: string[] } };
};
const { v4, v6 } = values.networkPolicies.except;
const cut = [...v4, ...v6].map((text) => ({ text, range: parseRange(text) }));

/** What never is on a wire, as it is turned into IPv4 before; and what any prefix can stand before. */
const elsewhere = new Set(["ipv4-mapped", "isatap"]);

test("all that is cut out are CIDRs of the right family", () => {
  expect(cut.filter(({ range }) => range === undefined)).toEqual([]);
  expect(v4.every((text) => !text.includes(":")) && v6.every((text) => text.includes(":"))).toBe(true);
});

test("each address of the corpus that the guard refuses by itself is cut out, or was never given out", () => {
  const refused = addresses
    .filter(({ api }) => api === "url_address_refused")
    .map(({ url }) => parseDatabaseUrl(url).host)
    .flatMap((host) => {
      const address = parseAddress(host);
      const why = address === undefined ? undefined : classOf(address);
      return address === undefined || why === undefined || elsewhere.has(why) ? [] : [{ host, address }];
    });
  expect(refused.length).toBeGreaterThan(40);
  const global = parseRange("2000::/3");
  const open = refused.filter(
    ({ address }) =>
      !cut.some(({ range }) => range !== undefined && within(address, range)) &&
      (address.family === 4 || (global !== undefined && within(address, global))),
  );
  expect(open.map(({ host }) => host)).toEqual([]);
});

test("what the corpus may reach is not cut out", () => {
  for (const host of ["45.33.32.156", "2a00:1450:4001:81b::200e", "8.8.8.8"]) {
    const address = parseAddress(host);
    expect(cut.filter(({ range }) => address && range && within(address, range))).toEqual([]);
  }
});
