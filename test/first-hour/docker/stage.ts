// Everything that the machine gets from this one: what a registry or a release would give it.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { binariesFolder, need, platform, program } from "../../../dev/cluster/binaries/index.ts";
import { folderOf, kubernetesVersion, tools } from "../../../dev/cluster/binaries/tools.ts";
import { pauseArchive } from "../../../dev/cluster/local/pause.ts";
import { architecture } from "../../../dev/image/archive.ts";
import { rootFileSystem } from "../../../dev/image/root.ts";
import { keep } from "../../../dev/image/store.ts";
import { cacheFolder } from "../../../dev/terminal/cache.ts";
import type { Terminal } from "../../../dev/terminal/index.ts";
import { run } from "../../../dev/terminal/run.ts";
import { machineRoot, rootNames } from "./roots.ts";

export const repository = join(import.meta.dirname, "..", "..", "..");
const recipes = join(import.meta.dirname, "recipes");

/** kubeadm, from a Go module of its own: dev/ needs none. */
const kubeadm = (terminal: Terminal, signal: AbortSignal): Promise<string> => {
  const folder = join(import.meta.dirname, "kubeadm");
  const hash = createHash("sha256").update(kubernetesVersion);
  for (const file of ["main.go", "go.mod", "go.sum"]) hash.update(readFileSync(join(folder, file)));
  const at = { folder: join(cacheFolder(), "first-hour"), name: "kubeadm", key: hash.digest("hex").slice(0, 16) };
  // The same flags as those of dev's programs, so that Go takes its packages from its cache.
  const { ldflags } = tools.kubernetes.source;
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" };
  return keep(at, async (part) => {
    await terminal.step("Build kubeadm", async (step) => {
      const args = ["build", "-trimpath", "-ldflags", ldflags, "-o", part, "."];
      await run("go", args, { cwd: folder, env, log: step.log, signal });
    });
  });
};

/** The first program of that name on PATH that is not this clone's own. */
const usersProgram = (name: string): string => {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (folder === "" || folder.includes("node_modules")) continue;
    if (readdirSafely(folder).includes(name)) return realpathSync(join(folder, name));
  }
  throw new Error(`There is no ${name} on PATH: install Node 20 or newer with npm`);
};

const readdirSafely = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** The clone as it is now, what git ignores left out. */
const copyClone = async (target: string): Promise<void> => {
  const { stdout } = await run("git", [
    "-C",
    repository,
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
  ]);
  for (const file of stdout.split("\0").filter(Boolean)) cpSync(join(repository, file), join(target, file));
};

/** The programs of a user whose `npm run demo` downloaded them. */
const copyPrograms = (target: string, sources: Record<"kind" | "helm" | "kubectl", string>): void => {
  for (const name of ["kind", "helm", "kubectl"] as const) {
    const folder = join(target, folderOf(tools[name], platform()));
    mkdirSync(folder, { recursive: true });
    cpSync(sources[name], join(folder, name), { dereference: true });
  }
};

export type Stage = {
  /** Name below /opt/stage → path here. */
  mounts: Record<string, string>;
  /** The machine's own root file system. */
  root: string;
  /** Changes with whatever the imported images are made of. Hexadecimal. */
  imagesKey: string;
};

/** Makes everything; what changes from run to run goes to `folder`. Needs root on Debian 12, Go, Node and npm. */
export const makeStage = async (folder: string, terminal: Terminal, signal: AbortSignal): Promise<Stage> => {
  const roots: Record<string, string> = {};
  for (const name of rootNames) roots[name] = await machineRoot(name, terminal, signal);
  for (const name of ["databases", "databases-old", "databases-trixie"] as const) {
    roots[name] = await rootFileSystem(name, terminal, signal);
  }
  const options = { terminal, signal };
  const kubernetes = join(binariesFolder(), await need("kubernetes", options), "kubernetes");
  const coredns = await program("coredns", "coredns", options);
  const helm = await program("helm", "helm", options);
  const kind = await program("kind", "kind", options);
  const module = await run("go", ["mod", "download", "-json", tools.kind.source.module]);
  const { Dir } = JSON.parse(module.stdout) as { Dir: string };
  const [clone, programs, pause] = [join(folder, "clone"), join(folder, "programs"), join(folder, "pause.tar")];
  await copyClone(clone);
  copyPrograms(programs, { kind, helm, kubectl: kubernetes });
  const machine = architecture();
  if (machine !== "amd64" && machine !== "arm64") throw new Error(`No pause image for ${machine}`);
  writeFileSync(pause, pauseArchive(machine));
  const npmCache = join(cacheFolder(), "first-hour", "npm");
  mkdirSync(npmCache, { recursive: true });
  const made: Record<string, string> = {
    ...roots,
    recipes,
    kubernetes,
    coredns,
    kubeadm: await kubeadm(terminal, signal),
    "kind-base": join(Dir, "images", "base", "files"),
    node24: join(repository, "node_modules", "node", "bin", "node"),
  };
  const hash = createHash("sha256");
  for (const [name, path] of Object.entries(made)) hash.update(`${name} ${name === "recipes" ? "" : path}\0`);
  for (const file of readdirSync(recipes).sort()) {
    if (file !== "machine.sh") hash.update(readFileSync(join(recipes, file)));
  }
  const { machine: root = "", ...images } = made;
  return {
    mounts: {
      ...images,
      clone,
      programs,
      pause,
      "npm-cache": npmCache,
      node: usersProgram("node"),
      npm: dirname(dirname(usersProgram("npm"))),
      certificates: "/etc/ssl/certs/ca-certificates.crt",
    },
    root,
    imagesKey: hash.digest("hex").slice(0, 16),
  };
};
