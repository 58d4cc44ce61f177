// A clean Debian as a folder: minbase with git, Node 20 and npm, and nothing else. Go is mounted when it is entered.
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needPackages } from "../../dev/debian/index.ts";
import { debianMirror } from "../../dev/debian/mirror.ts";
import { runNamespaced } from "../../dev/image/namespaced.ts";
import { keep } from "../../dev/image/store.ts";
import { cacheFolder } from "../../dev/terminal/cache.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { run } from "../../dev/terminal/run.ts";

/** Debian 12 and 13. */
export const suites = ["bookworm", "trixie"] as const;
export type Suite = (typeof suites)[number];

/** Changes when what is below makes another root. */
const version = "1";
const nodeVersion = "20.20.2";
const npmVersion = "10.9.9";
const packages = ["ca-certificates", "git"];

/** Unpacks a package of npm's and returns its folder inside `folder`. */
const fromNpm = async (name: string, folder: string): Promise<string> => {
  const into = await mkdtemp(join(folder, "npm-"));
  const { stdout } = await run("npm", ["pack", name, "--ignore-scripts", "--silent", "--pack-destination", into]);
  await run("tar", ["--extract", "--no-same-owner", "--file", join(into, stdout.trim()), "--directory", into]);
  return join(into, "package");
};

const addNode = async (root: string): Promise<void> => {
  const scratch = await mkdtemp(join(tmpdir(), "rowferry-node-"));
  try {
    const local = join(root, "usr/local");
    const node = await fromNpm(`node-linux-${process.arch}@${nodeVersion}`, scratch);
    await cp(join(node, "bin/node"), join(local, "bin/node"));
    await mkdir(join(local, "lib/node_modules"), { recursive: true });
    await run("cp", ["-a", await fromNpm(`npm@${npmVersion}`, scratch), join(local, "lib/node_modules/npm")]);
    for (const name of ["npm", "npx"])
      await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, "bin", name));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

/** The folder with the clean root; made when the cache has none (about half a minute). Copy it before it is entered. */
export const cleanRoot = async (suite: Suite, terminal: Terminal, signal?: AbortSignal): Promise<string> => {
  const at = { folder: join(cacheFolder(), "first-hour"), name: suite, key: version };
  return keep(
    at,
    async (part) => {
      await needPackages(["roots"], terminal, signal);
      const mirror = await debianMirror();
      await terminal.step(`Clean root file system of Debian ${suite}`, async (step) => {
        const options = ['--aptopt=Acquire::Check-Valid-Until "false"', '--aptopt=APT::Install-Recommends "false"'];
        // Otherwise this suite installs perl only to merge /bin into /usr/bin.
        if (suite === "bookworm") options.push("--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr");
        const include = `--include=${packages.join(",")}`;
        const words = ["mmdebstrap", "--mode=root", "--variant=minbase", ...options, include, suite, part];
        const env = { ...process.env, PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
        await runNamespaced([...words, ...(mirror === undefined ? [] : [mirror])], { log: step.log, env, signal });
        await addNode(part);
      });
    },
    { signal },
  );
};
