// The first hour with Docker: a machine with an engine, an ordinary user in the group `docker` and nothing else runs the
// demo in all its forms. `npm run first-hour -- docker`, or `node dev/start.mjs test/first-hour/docker/index.ts`; needs root
// on Debian 12, Go and npm. What a registry would give is made by recipes (README.md here).
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubernetesVersion } from "../../../dev/cluster/binaries/tools.ts";
import { nodeImage } from "../../../dev/cluster/kind-config.ts";
import { lock } from "../../../dev/lock.mjs";
import { cacheFolder } from "../../../dev/terminal/cache.ts";
import { runCommand } from "../../../dev/terminal/command.ts";
import type { Terminal } from "../../../dev/terminal/index.ts";
import { type Ended, type Machine, openMachine } from "./machine.ts";
import { makeStage } from "./stage.ts";
import { difference, traces } from "./traces.ts";

/** Tags that kubeadm of this version asks for (cmd/kubeadm/app/constants). */
const controlPlane = { KUBERNETES: `v${kubernetesVersion}`, ETCD: "3.6.5-0", COREDNS: "v1.12.1" };

const last = (text: string): string => text.trim().split("\n").slice(-12).join("\n");

/** Runs words as the user of the machine, in the clone; rejects with their last lines unless they end with 0. */
const asUser = async (machine: Machine, words: string, terminal: Terminal, signal: AbortSignal): Promise<Ended> => {
  const env = { ROWFERRY_IMAGES: "by-tag", ROWFERRY_CACHE: "/home/user/.cache/rowferry" };
  const ended = await machine.run("user", `cd rowferry && ${words}`, { log: terminal.log, signal, env });
  signal.throwIfAborted();
  if (ended.code !== 0) throw new Error(`\`${words}\` failed with exit code ${ended.code}:\n${last(ended.output)}`);
  return ended;
};

const expectText = (text: string, ...parts: string[]): void => {
  for (const part of parts) if (!text.includes(part)) throw new Error(`"${part}" is not in:\n${last(text)}`);
};

/** What Docker has besides images. Empty lists where nothing is left. */
const leftInDocker = async (machine: Machine): Promise<string[]> => {
  const list = async (what: string): Promise<string[]> => {
    const { code, stdout, output } = await machine.run("user", `docker ${what}`);
    if (code !== 0) throw new Error(output);
    return stdout.split("\n").filter(Boolean);
  };
  const networks = (await list("network ls --format '{{.Name}}'")).filter(
    (name) => !["bridge", "host", "none"].includes(name),
  );
  return [...(await list("ps --all --format '{{.Names}}'")), ...networks, ...(await list("volume ls --quiet"))];
};

const expectNothingLeft = async (machine: Machine): Promise<void> => {
  const left = await leftInDocker(machine);
  if (left.length > 0) throw new Error(`Docker still has: ${left.join(", ")}`);
};

/** Removes what an earlier hour left that failed: the engine's data are kept from hour to hour, for the images. */
const clearEngine = async (machine: Machine): Promise<void> => {
  const words = "docker ps -aq | xargs -r docker rm -fv && docker network prune -f && docker volume prune -f";
  const { code, output } = await machine.run("root", words);
  if (code !== 0) throw new Error(output);
};

/** Imports the images unless the engine's data has them from an earlier run. */
const importImages = async (machine: Machine, terminal: Terminal, signal: AbortSignal): Promise<void> => {
  const image = `kindest/node:${nodeImage.tag}`;
  if ((await machine.run("root", `docker image inspect ${image}`)).code === 0) return;
  await terminal.step("Import the base images under their official names", async () => {
    const env = { ...controlPlane, KIND_NODE: nodeImage.tag };
    const { code, output } = await machine.run("root", "sh /opt/stage/recipes/images.sh", {
      log: terminal.log,
      signal,
      env,
    });
    if (code !== 0) throw new Error(`images.sh failed with exit code ${code}:\n${last(output)}`);
  });
};

export type DockerHourOptions = {
  terminal: Terminal;
  signal: AbortSignal;
  /** The short form: `--once` alone. */
  short?: boolean;
};

/** Rejects at the first thing that is not as it should be. */
export const dockerHour = async ({ terminal, signal, short = false }: DockerHourOptions): Promise<void> => {
  const base = join(cacheFolder(), "first-hour", "docker");
  const release = await lock(base, {
    onWait: () => terminal.line("  Waiting for another command that runs the first hour"),
    signal,
  });
  const scratch = mkdtempSync(join(tmpdir(), "rowferry-first-hour-"));
  let machine: Machine | undefined;
  try {
    const stage = await makeStage(scratch, terminal, signal);
    mkdirSync(base, { recursive: true });
    const data = `data-${stage.imagesKey}`;
    for (const name of readdirSync(base)) {
      if (name !== data) rmSync(join(base, name), { recursive: true, force: true });
    }
    const before = await traces();
    const open = await terminal.step("Start a machine with a Docker engine", () =>
      openMachine(stage, join(base, data)),
    );
    machine = open;
    await clearEngine(open);
    await importImages(open, terminal, signal);
    const user = (words: string): Promise<Ended> => asUser(open, words, terminal, signal);
    await terminal.step("The user is not root and has no apt", async () => {
      expectText((await user("node -p 'process.getuid()'")).stdout, "1000");
      if ((await open.run("user", "apt-get --version || tar --version")).code === 0) throw new Error("there is apt");
      await user(
        "node -e \"fs.cpSync('/opt/stage/programs', '/home/user/.cache/rowferry/binaries', {recursive: true})\"",
      );
    });
    await terminal.step("npm run demo -- --once", async () => {
      expectText((await user("npm run demo -- --once")).output, "Done in", "images stay in Docker");
      await expectNothingLeft(open);
    });
    if (!short) await whole(open, user, terminal);
    await terminal.step("The machine ends and leaves nothing", async () => {
      await open.close();
      machine = undefined;
      const left = difference(before, await traces());
      if (left.length > 0) throw new Error(`it left: ${left.join("; ")}`);
    });
  } finally {
    await machine?.close();
    rmSync(scratch, { recursive: true, force: true });
    await release();
  }
};

const whole = async (machine: Machine, user: (words: string) => Promise<Ended>, terminal: Terminal): Promise<void> => {
  await terminal.step("npm run demo -- --detach --json", async () => {
    await user("npm run --silent demo -- --detach --json > /home/user/facts.json");
  });
  await terminal.step("REST and both databases from the host, through published ports", async (step) => {
    const { output } = await user("node_modules/.bin/node test/first-hour/docker/guest.ts /home/user/facts.json");
    expectText(output, "equal");
    if (output.includes("DIFFERENT")) throw new Error(last(output));
    step.note("copied and compared");
  });
  await terminal.step("kubectl from the host", async () => {
    expectText((await user("npm run --silent kubectl -- get migrations --all-namespaces")).stdout, "completed");
  });
  await terminal.step("npm test names what needs root", async () => {
    const { output } = await user("npm test -- dev/cluster/kind-config.test.ts databases");
    expectText(output, "not run, needs root on Debian or Ubuntu: databases", " passed, 0 failed");
  });
  await terminal.step("npm run demo, a second time", async () => {
    expectText((await user("npm run demo")).output, "Done in", "npm run down");
  });
  await terminal.step("npm run down", async (step) => {
    expectText((await user("npm run down")).output, "images stay in Docker");
    await expectNothingLeft(machine);
    const images = (await machine.run("user", "docker image ls --quiet")).stdout.split("\n").filter(Boolean);
    if (images.length === 0) throw new Error("no image stayed");
    step.note(`no container, network or volume; ${images.length} images stay`);
  });
};

if (import.meta.main) {
  const usage = {
    name: "first-hour",
    command: "node dev/start.mjs test/first-hour/docker/index.ts",
    about: "Runs the README's commands with Docker, as an ordinary user. Needs root on Debian or Ubuntu.",
    options: { short: { type: "boolean", default: false, about: "`npm run demo -- --once` alone" } },
  } as const;
  await runCommand(usage, async ({ terminal, signal, values: { short } }) => {
    await dockerHour({ terminal, signal, short });
    terminal.line("The first hour with Docker is as it should be.");
    return 0;
  });
}
