// The images by a Docker engine, without root and without Debian on this machine: the application by `docker build`,
// the databases from their official images.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../terminal/run.ts";
import { together } from "../terminal/together.ts";
import { dockerfilePins } from "./dockerfile.ts";
import type { BuildOptions } from "./index.ts";
import { byTag, databasePins, type Pin, pinned } from "./pins.ts";

/** An image that the engine has under a name that follows from its content. */
export type DockerImage = { ref: string; docker: string };

type Name = "app" | keyof typeof databasePins;

const repository = join(import.meta.dirname, "..", "..");

/** The reference under which a cluster gets an image: as long as the content is the same, so is the name. */
export const referenceOf = (name: string, id: string): string => {
  const digits = /^sha256:([0-9a-f]{12})[0-9a-f]{52}$/.exec(id.trim())?.[1];
  if (digits === undefined) throw new Error(`Docker named an image "${id.trim()}", and not by its SHA-256 digest`);
  return `rowferry.dev/${name}:${digits}`;
};

/** Arguments of `docker build`; the base images lose their digests where images are taken by tag. */
export const buildArguments = (dockerfile: string, idFile: string, environment?: NodeJS.ProcessEnv): string[] => {
  const loose = byTag(environment)
    ? dockerfilePins(dockerfile).flatMap(({ argument, ...pin }) => [
        "--build-arg",
        `${argument}=${pin.name}:${pin.tag}`,
      ])
    : [];
  return ["build", "--iidfile", idFile, ...loose, repository];
};

const tagged = async (name: string, id: string): Promise<DockerImage> => {
  const docker = referenceOf(name, id);
  await run("docker", ["tag", id.trim(), docker]);
  return { ref: docker, docker };
};

/** The last words of a line of `docker build`, of either of its builders: `Step 3/14 : RUN …`, `#8 [build 3/6] RUN …`. */
const stepIn = (text: string): string | undefined =>
  /(?:^|\n)(?:Step (\d+\/\d+) :|#\d+ \[([\w-]+ +\d+\/\d+)\])/.exec(text)?.slice(1).find(Boolean);

// What has not changed comes from the engine's own cache.
const buildApplication = async ({ terminal, signal }: BuildOptions): Promise<DockerImage> => {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-build-"));
  const idFile = join(folder, "id");
  try {
    const args = buildArguments(await readFile(join(repository, "Dockerfile"), "utf8"), idFile);
    return await terminal.step("Build the application's image by Docker", async (step) => {
      const log = (text: string): void => {
        step.log(text);
        const at = stepIn(text);
        if (at !== undefined) step.note(at);
      };
      await run("docker", args, { log, ...(signal === undefined ? {} : { signal }) });
      const image = await tagged("app", await readFile(idFile, "utf8"));
      step.note(image.ref);
      return image;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const idOf = (ref: string): Promise<string | null> =>
  run("docker", ["image", "inspect", "--format", "{{.Id}}", ref]).then(
    ({ stdout }) => stdout,
    () => null,
  );

// Pulled unless the engine has it.
const officialImage = async (
  name: keyof typeof databasePins,
  { terminal, signal }: BuildOptions,
): Promise<DockerImage> => {
  const pin: Pin = databasePins[name];
  const ref = pinned(pin);
  const there = await idOf(ref);
  if (there !== null) return tagged(name, there);
  return terminal.step(`Pull ${pin.name}:${pin.tag}`, async (step) => {
    await run("docker", ["pull", "--quiet", ref], { log: step.log, ...(signal === undefined ? {} : { signal }) });
    return tagged(name, (await idOf(ref)) ?? "");
  });
};

/** The named images, built or pulled where the engine lacks them. The first failure ends the others. */
export const buildImagesByDocker = async <K extends Name>(
  names: readonly K[],
  { terminal, signal }: BuildOptions,
): Promise<Record<K, DockerImage>> => {
  const tasks = names.map((name: Name) => async (signal: AbortSignal): Promise<[Name, DockerImage]> => {
    const options = { terminal, signal };
    return [name, await (name === "app" ? buildApplication(options) : officialImage(name, options))];
  });
  return Object.fromEntries(await together<[Name, DockerImage][]>(signal, tasks)) as Record<K, DockerImage>;
};
