import { afterAll, beforeAll, expect, test } from "vitest";
import { inSource } from "../support/engine/postgres-mysql-support.ts";
import {
  copied,
  database,
  fingerprint,
  type Servers,
  schemaText,
  startServers,
} from "../support/engine/postgres-support.ts";
import { chinook, pagila } from "./scripts.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

async function made(script: string) {
  const source = await database(servers.new);
  await inSource(servers.new.urlOf(source.database, "admin"), script);
  return { source, target: await database(servers.new) };
}

test("Pagila is copied byte for byte", async () => {
  const { source, target } = await made(pagila());
  const { report } = await copied(source, target);
  expect(await fingerprint(target)).toEqual(await fingerprint(source));
  expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
  expect(report.tables.find(({ source: name }) => name === "public.rental")?.rows).toEqual({
    source: 16044,
    target: 16044,
  });
});

test("Chinook is copied byte for byte", async () => {
  const { source, target } = await made(chinook("postgres"));
  const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
  expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
});
