import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

/** What builds and tests fetch is named by its content, so that nobody who moves a tag gets code in. */

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

it("actions of CI are named by commit, with their version beside", () => {
  const workflows = readdirSync(join(root, ".github/workflows")).map((name) => `.github/workflows/${name}`);
  const used = workflows.flatMap((path) => read(path).match(/\buses:.*/g) ?? []);
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((line) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

it("base images are named by digest", () => {
  const images = read("Dockerfile").match(/^ARG \w+_IMAGE=.*/gm) ?? [];
  expect(images.length).toBeGreaterThan(1);
  expect(images.filter((line) => !/@sha256:[0-9a-f]{64}$/.test(line))).toEqual([]);
  const stages = read("Dockerfile").match(/^FROM \S+/gm) ?? [];
  const own = [...read("Dockerfile").matchAll(/^FROM \S+ AS (\w+)/gm)].map(([, name]) => `FROM ${name}`);
  const others = stages.filter((line) => !own.includes(line) && line !== "FROM scratch");
  expect(others.filter((line) => !/^FROM \$\{\w+_IMAGE\}$/.test(line))).toEqual([]);
});

it("npm packages are named by digest, but for programs of development on other platforms than the lock file was made on", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; os?: string[]; integrity?: string }>;
  };
  const fetched = Object.entries(packages).filter(
    ([path, { dev, optional, os }]) => path !== "" && !(dev && optional && os),
  );
  expect(fetched.length).toBeGreaterThan(50);
  expect(fetched.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([]);
});
