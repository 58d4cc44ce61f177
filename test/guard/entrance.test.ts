import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "../repository/imports.ts";

/** There is one entrance to a user's database. What could open a socket beside it is named here, with the reason. */

const root = resolve(import.meta.dirname, "../..");
const rooms = ["src/engine", "src/prober", "src/worker", "src/guard", "src/requests", "src/billing"];

/** What can reach a host, by what is imported or called. */
const ways: [way: string, pattern: RegExp][] = [
  [
    "sockets",
    /import (?!type)[^;]*(?<!type )\b(connect|createConnection|Socket|request|get|Agent)\b[^;]*from "node:(net|tls|http|https|http2)"/,
  ],
  [
    "whole modules of sockets",
    /import (?!type)(\* as )?\w+ from "node:(net|tls|http|https|http2|dgram|dns|dns\/promises)"/,
  ],
  ["datagrams and resolvers", /from "node:(dgram|dns|dns\/promises)"/],
  ["fetch", /\bfetch\(|\bnew (WebSocket|EventSource)\(|from "undici"/],
  ["a driver", /import (?!type)[^;]*from "(pg|mysql2?)(\/[^"]*)?"/],
  ["programs", /import (?!type)[^;]*\b(spawn|execFile|exec|fork)\b[^;]*from "node:child_process"/],
  ["modules by name", /\b(require|createRequire)\(/],
];

const known: Record<string, string[]> = {
  // The agent of Stripe's SDK, which dials Stripe alone.
  "src/billing/stripe-client.ts": ["sockets"],
  "src/engine/mysql/driver/input.ts": ["sockets"],
  // Its Socket is given to the driver, which dials through src/engine/postgres/driver/connection.ts.
  "src/engine/postgres/driver/block-socket.ts": ["sockets"],
  "src/engine/postgres/driver/connection.ts": ["a driver"],
  "src/engine/postgres/driver/wire.ts": ["a driver"],
  // pg_dump, with the address of a session as PGHOSTADDR.
  "src/engine/postgres/dump/dump.ts": ["programs"],
  // A Unix socket in a folder of its own, through which pg_dump's output comes.
  "src/engine/postgres/dump/program-output.ts": ["sockets"],
  "src/guard/resolve.ts": ["datagrams and resolvers"],
};

/** They speak to Rowferry's own pods, and start Rowferry's own processes. */
const own = /^src\/(guard\/post-json|prober\/(client|pool|server|process)|worker\/operator-client)/;

test("no file opens a socket to a user's database but those that dial through the guard", () => {
  const found = Object.fromEntries(
    sourceFiles(root, rooms)
      .filter(({ path }) => !path.endsWith(".test.ts") && !own.test(path))
      .map(({ path, text }) => [path, ways.filter(([, pattern]) => pattern.test(text)).map(([way]) => way)] as const)
      .filter(([, used]) => used.length > 0),
  );
  expect(found).toEqual(known);
});

test("only clients of Rowferry's own pods post JSON", () => {
  const users = sourceFiles(root, ["src", "controllers"]).filter(({ text }) => /\bpostJson\b/.test(text));
  expect(users.map(({ path }) => path).sort()).toEqual([
    "src/guard/post-json.ts",
    "src/prober/client.ts",
    "src/worker/operator-client.ts",
  ]);
});

test.each([
  "src/engine/mysql/driver/input.ts",
  "src/engine/postgres/driver/connection.ts",
  "src/engine/postgres/driver/wire.ts",
])("%s gives the driver the address that the guard hands it, and never the URL's host", (path) => {
  const text = readFileSync(join(root, path), "utf8");
  expect(text).toMatch(/\bdial\(/);
  // The one use that stays is the name that TLS proves.
  const dialled = text.replace(/connectTls\(\{[\s\S]*?\}\);/g, "");
  expect(dialled).not.toMatch(/host: endpoint\.host|connect\([^)]*endpoint\.host/);
});

test("pg_dump gets an address, and without one it is not started under a guard", () => {
  const text = readFileSync(join(root, "src/engine/postgres/dump/dump.ts"), "utf8");
  expect(text).toMatch(/dial\(\{ host: address, guard \}, \(allowed\) => dump\(\{ PGHOSTADDR: allowed \}\)\)/);
  expect(text.match(/spawn\(/g)).toHaveLength(1);
});

test("the patterns find what they are for", () => {
  const samples: Record<string, string> = {
    sockets: 'import { connect, type Socket } from "node:net";',
    "whole modules of sockets": 'import net from "node:net";',
    "datagrams and resolvers": 'import { lookup } from "node:dns/promises";',
    fetch: "await fetch(url)",
    "a driver": 'import pg from "pg";',
    programs: 'import { spawn } from "node:child_process";',
    "modules by name": 'require("net")',
  };
  for (const [way, pattern] of ways) expect(samples[way] ?? "").toMatch(pattern);
  expect('import type { Socket } from "node:net";').not.toMatch(ways[0]?.[1] ?? /^/);
});
