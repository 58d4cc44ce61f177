// Reads the Dockerfile, so that the offline build and `docker build` make the same image.
import type { Pin } from "./pins.ts";

export type ImageConfig = {
  env: string[];
  user: string;
  workingDir: string;
  entrypoint: string[];
  cmd: string[];
};

export type Copy = { stage: string; from: string; to: string };

export type Dockerfile = {
  /** The image that each named stage starts from, without its digest. */
  stages: Record<string, string>;
  /** The folder where each named stage works. */
  folders: Record<string, string>;
  /** What the last stage is made of, in order. */
  copies: Copy[];
  config: ImageConfig;
};

/** Instructions with their continuation lines joined; comments and empty lines left out. */
const instructions = (text: string): { verb: string; rest: string }[] =>
  text
    .replace(/^\s*#.*$/gm, "")
    .replace(/\\\n/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [verb = "", ...rest] = line.split(/\s+/);
      return { verb: verb.toUpperCase(), rest: rest.join(" ") };
    });

/** A JSON list of strings; undefined for anything else, such as a line for a shell. */
const wordsIn = (json: string): string[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) && parsed.every((word) => typeof word === "string") ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/** The base images that a Dockerfile names by `ARG <argument>=<name>:<tag>@<digest>`. */
export const dockerfilePins = (text: string): (Pin & { argument: string })[] =>
  [...text.matchAll(/^ARG (\w+)=([\w./-]+):([\w.-]+)@(sha256:[0-9a-f]{64})$/gm)].map(
    ([, argument = "", name = "", tag = "", digest = ""]) => ({ argument, name, tag, digest }),
  );

// Each base image by its tag, in the place of the argument that pins it.
const withoutPins = (text: string): string =>
  dockerfilePins(text).reduce(
    (plain, { argument, name, tag }) =>
      plain.replace(new RegExp(`^ARG ${argument}=.*$`, "m"), "").replaceAll(`\${${argument}}`, `${name}:${tag}`),
    text,
  );

/** Throws an Error that names the first instruction of the last stage that it does not understand. */
export const parseDockerfile = (text: string): Dockerfile => {
  const stages: Record<string, string> = {};
  const folders: Record<string, string> = {};
  let stage = "";
  let copies: Copy[] = [];
  let config: ImageConfig = { env: [], user: "", workingDir: "/", entrypoint: [], cmd: [] };
  let unknown: string[] = [];
  for (const { verb, rest } of instructions(withoutPins(text))) {
    if (verb === "FROM") {
      const [image = "", , name = ""] = rest.split(" ");
      stage = name;
      if (name !== "") stages[name] = image;
      copies = [];
      config = { env: [], user: "", workingDir: "/", entrypoint: [], cmd: [] };
      unknown = [];
      continue;
    }
    const words = wordsIn(rest);
    const copy = /^--from=(\S+) (\S+) (\S+)$/.exec(rest);
    if (verb === "COPY" && copy !== null) {
      copies.push({ stage: copy[1] ?? "", from: copy[2] ?? "", to: copy[3] ?? "" });
    } else if (verb === "ENV" && /^[A-Za-z_]\w*=[^\s"'$\\]*$/.test(rest)) config.env.push(rest);
    else if (verb === "USER") config.user = rest;
    else if (verb === "WORKDIR") {
      config.workingDir = rest;
      folders[stage] = rest;
    } else if (verb === "ENTRYPOINT" && words !== undefined) config.entrypoint = words;
    else if (verb === "CMD" && words !== undefined) config.cmd = words;
    else unknown.push(`${verb} ${rest}`);
  }
  if (unknown[0] !== undefined) throw new Error(`Dockerfile: the offline build does not understand "${unknown[0]}"`);
  return { stages, folders, copies, config };
};
