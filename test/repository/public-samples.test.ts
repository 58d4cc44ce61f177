import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publicSamplesFolder } from "../../dev/public-samples.ts";
import { publicSamplesNotRun } from "../runner/public-samples.ts";

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "public-samples-"));
  mkdirSync(join(place, "alone/repository"), { recursive: true });
  mkdirSync(join(place, "beside/repository"), { recursive: true });
  mkdirSync(join(place, "beside/shared/data"), { recursive: true });
});
afterAll(() => rmSync(place, { recursive: true }));

it("a repository alone has no public samples, and the line says how to name them", () => {
  expect(publicSamplesFolder("", join(place, "alone/repository"))).toBeUndefined();
  expect(publicSamplesNotRun).toMatch(
    /^not run, needs .*Sakila, Pagila and Chinook, or ROWFERRY_SAMPLES: public-samples$/,
  );
});

it("public samples beside the repository are found", () => {
  expect(publicSamplesFolder("", join(place, "beside/repository"))).toBe(join(place, "beside/shared/data"));
});

it("a folder that ROWFERRY_SAMPLES names is taken, and must exist", () => {
  expect(publicSamplesFolder(place, join(place, "beside/repository"))).toBe(place);
  expect(() => publicSamplesFolder(join(place, "missing"))).toThrow(/ROWFERRY_SAMPLES names .*missing/);
});
