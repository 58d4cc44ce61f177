import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** dev/README.md names what there is: each command's file, each folder, and the folders of the larger ones. */

const root = join(import.meta.dirname, "../..");
const dev = join(root, "dev");
const page = readFileSync(join(dev, "README.md"), "utf8");
const cells = [...page.matchAll(/`([\w./-]+)`/g)].map(([, name = ""]) => name);

const foldersIn = (path: string) =>
  readdirSync(join(dev, path))
    .map((name) => join(path, name))
    .filter((name) => statSync(join(dev, name)).isDirectory());

test("each folder of dev has its row", () => {
  const described = foldersIn(".").flatMap((folder) => [
    folder,
    // Those of the simulator are in its own page.
    ...(folder === "stripe" ? [] : foldersIn(folder)),
  ]);
  expect(described.filter((folder) => !page.includes(`| \`${folder}\` `))).toEqual([]);
});

test("each npm script that dev has the file of is there with it", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const ofDev = Object.entries(scripts).flatMap(([name, command]) => {
    const file = /^node dev\/start\.mjs dev\/(\S+)/.exec(command)?.[1];
    return file === undefined || name === "prepack" ? [] : [[name, file] as const];
  });
  expect(ofDev.length).toBeGreaterThan(8);
  for (const [name, file] of ofDev)
    expect(
      page.split("\n").some((line) => line.includes(`npm run ${name}\``) && line.includes(`\`${file}\``)),
      name,
    ).toBe(true);
});

test("each file that it names is there", () => {
  const files = cells.filter((name) => /^[\w-]+\.(ts|mjs)$/.test(name));
  expect(files.filter((file) => !existsSync(join(dev, file)))).toEqual([]);
});
