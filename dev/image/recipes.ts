// The root file systems: which Debian suite, and the folder with the packages and steps that the Dockerfile reads too.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Those whose programs are not databases' servers of dev/databases. */
const plain: readonly string[] = ["app", "peers", "pgbouncer", "redis"];

const folder = join(import.meta.dirname, "recipes");

/** `essential`: what Debian calls so, and maintainer scripts run. `extract`: packages unpacked, nothing run. */
const variants = {
  app: { suite: "sid", variant: "essential" },
  databases: { suite: "sid", variant: "extract" },
  "databases-old": { suite: "bookworm", variant: "extract" },
  "databases-trixie": { suite: "trixie", variant: "extract" },
  postgis: { suite: "sid", variant: "extract" },
  peers: { suite: "sid", variant: "extract" },
  pgbouncer: { suite: "trixie", variant: "extract" },
  redis: { suite: "trixie", variant: "extract" },
} as const;

export type RecipeName = keyof typeof variants;

export type Recipe = {
  name: RecipeName;
  suite: string;
  variant: string;
  packages: string[];
  /**
   * Files of the folder `/recipe` inside, of which `steps.sh` is run: name → absolute path. `installed` is in the form of
   * dpkg's status: what the packages are unpacked without, though they depend on it.
   */
  files: Record<string, string>;
  /** Changes when anything above changes. Hexadecimal. */
  hash: string;
};

/** Reads a recipe from `dev/image/recipes/<name>` and the files shared beside it. */
export const readRecipe = (name: RecipeName): Recipe => {
  const { suite, variant } = variants[name];
  const own = readdirSync(join(folder, name)).map((file) => [file, join(folder, name, file)] as const);
  const shared = readdirSync(folder)
    .filter((file) => file.endsWith(".sh") && (file === "trim.sh" || !plain.includes(name)))
    .map((file) => [file, join(folder, file)] as const);
  const files = Object.fromEntries([...own, ...shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  const hash = createHash("sha256").update(JSON.stringify([suite, variant]));
  for (const [file, path] of Object.entries(files)) hash.update(`${file}\0`).update(readFileSync(path)).update("\0");
  const packages = readFileSync(join(folder, name, "packages"), "utf8")
    .split("\n")
    .filter(Boolean);
  return { name, suite, variant, packages, files, hash: hash.digest("hex") };
};
