// Images go from OCI archives into the cluster's own containerd.
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError, run } from "../../terminal/run.ts";
import { home, programs, type Snapshotter } from "./plan.ts";

export type Runtime = {
  /** The `unshare` process of the cluster: its first child is in the cluster's mount namespace. */
  init: number;
  /** Folder of containerd below the binaries. */
  containerd: string;
  snapshotter: Snapshotter;
};

const ctr = ({ init, containerd }: Runtime, args: string[]): [string, string[]] => [
  "nsenter",
  [
    ...[`--mount=/proc/${init}/ns/mnt`, `${programs}/${containerd}/usr/bin/ctr`],
    ...["--address", `${home}/containerd.sock`, "--namespace", "k8s.io", ...args],
  ],
];

/** Names and digests of the images that are there, as `name@digest`. */
export const imagesOf = async (runtime: Runtime): Promise<Set<string>> => {
  const { stdout } = await run(...ctr(runtime, ["images", "list"]));
  const lines = stdout.split("\n").slice(1).filter(Boolean);
  return new Set(lines.map((line) => line.split(/\s+/)).map(([name, , digest]) => `${name}@${digest}`));
};

// The full name, as containerd keeps it, stands in its own annotation; the standard one may hold the tag alone.
const nameOf = (annotations: Record<string, string> = {}): string =>
  annotations["io.containerd.image.name"] ?? annotations["org.opencontainers.image.ref.name"] ?? "";

/** Names and digests in an OCI archive's index, as `name@digest`. */
export const imagesIn = async (archive: string): Promise<string[]> => {
  const { stdout } = await run("tar", ["--extract", "--to-stdout", "--occurrence=1", "--file", archive, "index.json"]);
  const { manifests } = JSON.parse(stdout) as { manifests: { digest: string; annotations?: Record<string, string> }[] };
  return manifests.map(({ digest, annotations }) => `${nameOf(annotations)}@${digest}`);
};

/** Imports an archive from a stream. */
export const importImage = async (runtime: Runtime, archive: Readable, log: (text: string) => void): Promise<void> => {
  const [command, args] = ctr(runtime, ["images", "import", "--snapshotter", runtime.snapshotter, "-"]);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  const note = (data: Buffer): void => {
    said += data.toString();
    log(data.toString());
  };
  child.stdout.on("data", note);
  child.stderr.on("data", note);
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  // When ctr gives up, the pipe breaks: its exit code and words tell more than that.
  await pipeline(archive, child.stdin).catch(() => {});
  const code = await ended;
  if (code !== 0)
    throw new CommandError(`The image could not be imported: ${said.trim().split("\n").at(-1)}`, code, said, said);
};

/** Brings the images that are wanted by their names, and that another runtime has, from there. */
export const copyImages = async (
  from: Runtime,
  to: Runtime,
  wanted: (name: string) => boolean,
  log: (text: string) => void,
): Promise<void> => {
  const there = await imagesOf(to);
  const missing = [...(await imagesOf(from))].filter((image) => !image.startsWith("sha256:") && !there.has(image));
  // One after the other: each is written out whole.
  for (const name of missing.map((image) => image.slice(0, image.lastIndexOf("@"))).filter(wanted)) {
    const [command, args] = ctr(from, ["images", "export", "-", name]);
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stderr.on("data", (data: Buffer) => {
      said += data.toString();
    });
    const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const [code] = await Promise.all([ended, importImage(to, child.stdout, log)]);
    if (code !== 0) throw new CommandError(`The image ${name} could not be exported: ${said.trim()}`, code, "", said);
  }
};

/** Imports an archive file unless all that it holds is there already. Returns whether it was imported. */
export const loadArchive = async (runtime: Runtime, archive: string, log: (text: string) => void): Promise<boolean> => {
  const [there, inside] = await Promise.all([imagesOf(runtime), imagesIn(archive)]);
  if (inside.length > 0 && inside.every((image) => there.has(image))) return false;
  await importImage(runtime, createReadStream(archive, { highWaterMark: 1 << 20 }), log);
  return true;
};

export const importBytes = (runtime: Runtime, archive: Buffer, log: (text: string) => void): Promise<void> =>
  importImage(runtime, Readable.from([archive]), log);
