import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { describeApi } from "../../dev/pages/api-description.ts";
import { registerPatienceMs } from "../../src/engine/run/fence/fence.ts";
import { special } from "../../src/guard/address.ts";
import { checkUserUrl } from "../../src/guard/check.ts";
import { judgeAddress } from "../../src/guard/policy.ts";
import { addressRefused, nameRefused } from "../../src/guard/resolve.ts";
import { parseDatabaseUrl } from "../../src/guard/url.ts";
import { exitCodes } from "../../src/worker/protocol.ts";

/** What docs/url-security.md, overview.md and not-supported.md say by hand is what the source does. */

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const flat = (path: string): string => read(path).replaceAll(/\s+/g, " ");
/** The code in a text. */
const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const between = (text: string, from: string, to: string): string => {
  const [, after] = text.split(from);
  expect(after, from).toBeDefined();
  return after?.split(to)[0] ?? "";
};
const { paths } = describeApi() as { paths: Record<string, Record<string, { parameters?: { name: string }[] }>> };

describe("docs/url-security.md", () => {
  const page = "docs/url-security.md";
  const policy = { allow: [], refuse: [] };
  const code = (run: () => unknown): string | undefined => {
    try {
      run();
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const withParameter = (engine: "mysql" | "postgres", parameter: string) =>
    code(() => parseDatabaseUrl(`${engine}://u:p@db.acme.dev/shop?${parameter}`));

  it("names parameters that are refused, accepted or ignored, as the parser does", () => {
    const listed = codesIn(between(read(page), "change what statements mean:", "and similar"));
    expect(listed.length).toBeGreaterThan(7);
    for (const name of listed)
      for (const engine of ["mysql", "postgres"] as const)
        expect([name, withParameter(engine, name.includes("=") ? name.replace("…", "tmp") : `${name}=1`)]).toEqual([
          name,
          "url_parameter_refused",
        ]);
    expect(withParameter("postgres", "invented=1")).toBe("url_parameter_unknown");
    expect(flat(page)).toContain("`connect_timeout` | accepted and ignored");
    for (const engine of ["mysql", "postgres"] as const)
      expect(withParameter(engine, "connect_timeout=5")).toBe(undefined);
    expect(flat(page)).toContain("`sslmode` (MySQL also `ssl-mode`) | accepted");
    expect(withParameter("mysql", "ssl-mode=REQUIRED")).toBe(undefined);
    const [, modes = ""] = /`channel_binding` of PostgreSQL \| (.*?) \|/.exec(flat(page)) ?? [];
    expect(codesIn(modes)).toEqual(["disable", "prefer", "require"]);
    for (const mode of codesIn(modes)) expect(withParameter("postgres", `channel_binding=${mode}`)).toBe(undefined);
  });

  it("has the schemes, the lengths and the escapes that the parser takes", () => {
    const [, schemes = ""] = /\| scheme \| (.*?) \|/.exec(flat(page)) ?? [];
    expect(codesIn(schemes)).toHaveLength(4);
    for (const scheme of codesIn(schemes))
      expect(code(() => parseDatabaseUrl(`${scheme}://u:p@db.acme.dev/s`))).toBe(undefined);
    const [, most = ""] = /in a Secret ([\d,]+)/.exec(flat(page)) ?? [];
    const long = (length: number) => "postgres://u:p@db.acme.dev/".padEnd(length, "x");
    const limit = Number(most.replace(",", ""));
    expect(code(() => parseDatabaseUrl(long(limit)))).toBe(undefined);
    expect(code(() => parseDatabaseUrl(long(limit + 1)))).toBe("url_malformed");
    const [characters = [], written = []] = ["character", "write"].map((row) =>
      codesIn(new RegExp(`^\\| ${row} .*$`, "m").exec(read(page))?.[0] ?? ""),
    );
    expect(characters).toHaveLength(6);
    expect(written).toEqual(characters.map(encodeURIComponent));
  });

  it("has the refused forms of an address, and placeholders", () => {
    const forms = codesIn(between(read(page), "Other forms of an IPv4 address:", "full-width"));
    expect(forms).toHaveLength(3);
    for (const host of forms)
      expect([host, code(() => checkUserUrl(`postgres://u:p@${host}/shop`, { policy }))]).not.toEqual([
        host,
        undefined,
      ]);
    const placeholders = codesIn(between(read(page), "- Placeholders, such as", "in a URL"));
    expect(placeholders).toEqual(["user:password@host", "<password>", "db.example.com"]);
    for (const url of ["user:password@host/db", "anna:<password>@db.acme.dev/db", "anna:x@db.example.com/db"])
      expect([url, code(() => checkUserUrl(`mysql://${url}`, { policy }))]).toEqual([url, "url_placeholder"]);
  });

  it("names every class of refused addresses, and each metadata address", () => {
    const words: Record<string, string> = { cgnat: "carrier-grade NAT", "ipv4-mapped": "mapped" };
    const list = between(flat(page), "These are refused:", "If the URL contains an address");
    const classes = new Set([...special.map(([why]) => why), "isatap"]);
    const missing = [...classes].filter(
      (why) => !list.toLowerCase().includes((words[why] ?? why.replace("ipv4-", "")).toLowerCase()),
    );
    expect(missing).toEqual([]);
    const metadata = special.flatMap(([why, texts]) => (why === "metadata" ? texts.split(" ") : []));
    const named = between(list, "metadata addresses of clouds:", " - ")
      .split(",")
      .map((text) => text.trim());
    expect(named.toSorted()).toEqual(metadata.toSorted());
    for (const range of ["169.254.0.0/16", "0.0.0.0/0"])
      expect([range, judgeAddress("169.254.169.254", { allow: [range], refuse: [] }).allowed]).toEqual([range, false]);
  });

  it("has the messages of refused hosts", () => {
    expect(read(page)).toContain(`\n${addressRefused('the source database\'s host "10.1.2.3"')}\n`);
    expect(read(page)).toContain(`\n${nameRefused('the source database\'s host "db.internal"')}\n`);
  });

  it("has the chart's values of the guard, with variables that the source reads", () => {
    const { guard } = parse(read("charts/rowferry/values.yaml")) as { guard: Record<string, unknown> };
    const rows = [...read(page).matchAll(/^\| `guard\.(\w+)` +\| `(\w+)`/gm)].map(([, value = "", name = ""]) => [
      value,
      name,
    ]);
    expect(rows.map(([value]) => value).toSorted()).toEqual(Object.keys(guard).toSorted());
    const config = read("src/main/settings.ts") + read("src/main/operator/config.ts");
    for (const [, name] of rows) expect(config).toContain(`${name}:`);
    expect([guard["minTls"], flat(page).includes("`disable`, the default")]).toEqual(["disable", true]);
  });
});

describe("docs/overview.md", () => {
  const text = flat("docs/overview.md");

  it("has the times of reports and of the lock", () => {
    const often = /often = \{ first: (\d+), firstFor: ([\d_]+), later: ([\d_]+) \}/.exec(
      read("controllers/worker-endpoint/endpoint.ts"),
    );
    const [first, firstFor, later] = (often ?? []).slice(1).map((value) => Number(value.replace("_", "")) / 1000);
    expect(firstFor).toBe(60);
    expect(text).toContain(`every ${first} seconds in the first minute and every ${later} seconds after that`);
    expect(text).toContain(`A run that waits ${registerPatienceMs / 1000} seconds for it fails with \`target_locked\``);
  });

  it("has each exit code of the worker", () => {
    const codes = [...read("docs/overview.md").matchAll(/^\| (\d) +\|/gm)].map(([, value]) => Number(value));
    expect(codes).toEqual(Object.values(exitCodes));
  });
});

describe("docs/not-supported.md", () => {
  const text = flat("docs/not-supported.md");

  it("says that lists have a limit and a cursor, and no page number or offset", () => {
    const names = new Set(
      Object.entries(paths).flatMap(([path, methods]) =>
        !path.startsWith("/api/")
          ? []
          : Object.values(methods).flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
      ),
    );
    expect(text).toContain("Use `limit` and `cursor`");
    expect(["limit", "cursor", "offset", "page"].map((name) => names.has(name))).toEqual([true, true, false, false]);
  });

  it("is right that no call pauses or changes a migration, and that users add no webhooks", () => {
    const migrations = Object.keys(paths["/api/migrations/{id}"] ?? {});
    expect(migrations).toContain("delete");
    expect(migrations).not.toContain("patch");
    expect(Object.keys(paths).filter((path) => /pause|cancel|webhook/.test(path))).toEqual([]);
  });
});

const placeholder = /^\{.*\}$|^…$/;
/** Parts of a path in prose stand for one another: `{id}`, `…`, an id of an example. */
const isPath = (asked: string): boolean =>
  Object.keys(paths).some((path) => {
    const [known, given] = [path.split("/"), asked.split("/")];
    if (given[1] === "…") return path.endsWith(given.slice(2).join("/"));
    return known.length === given.length && known.every((part, at) => part === given[at] || placeholder.test(part));
  });

test("every call that a page names is one of the API's", () => {
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const calls = pages.flatMap((page) =>
    [...read(`docs/${page}`).matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (\/[\w{}/.…-]*)/g)].map(
      ([, method = "", path = ""]) => ({
        ...{ page, method, path: path.replace(/[./]+$/, "") },
      }),
    ),
  );
  expect(calls.length).toBeGreaterThan(100);
  expect(calls.filter(({ path }) => path !== "" && !isPath(path))).toEqual([]);
});
