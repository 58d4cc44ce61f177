import { expect, test } from "vitest";
import type { CheckedUrl } from "../../../guard/check.ts";
import { serversAnnotation } from "../../../resources/group.ts";
import { serversMark } from "./places.ts";

const secret = new Uint8Array(32).fill(7);
const at = (host: string, port: number, database = "shop"): CheckedUrl =>
  ({ endpoint: { engine: "postgres", host, port, database } }) as CheckedUrl;
const named = (source: CheckedUrl, target: CheckedUrl, key = secret): { source: string; target: string } =>
  JSON.parse(serversMark(key, { source, target })[serversAnnotation] ?? "");

test("a server is named by its host and port alone, alike as source and as target", () => {
  const { source, target } = named(at("DB.example.com.", 5432), at("db.example.com", 5432, "other"));
  expect(source).toBe(target);
  expect(named(at("db.example.com", 5433), at("db2.example.com", 5432)).source).not.toBe(source);
  expect(named(at("db2.example.com", 5432), at("db.example.com", 5432)).source).not.toBe(source);
});

test("its name is a digest that needs the API's secret", () => {
  const text = JSON.stringify(named(at("db.example.com", 5432), at("db.example.com", 5432)));
  expect(text).not.toContain("example");
  const other = named(at("db.example.com", 5432), at("db.example.com", 5432), new Uint8Array(32).fill(8));
  expect(JSON.stringify(other)).not.toBe(text);
});
