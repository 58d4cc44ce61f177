// A small image for pods that look around: shell, getent and perl, taken from the machine that runs the test.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { ociArchive, type TarEntry } from "../../dev/cluster/local/oci.ts";

export const trialImage = "rowferry.dev/trial:1";

const programs = ["/bin/sh", "/usr/bin/getent", "/usr/bin/perl", "/bin/sleep", "/usr/bin/id"];

const libraries = (program: string): string[] =>
  [...execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(\/\S+)/g)].map((match) => match[1] ?? "");

const tree = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? tree(path) : [path];
  });

/** The image as an OCI archive. Needs a Debian or Ubuntu whose perl-base is there, as it always is. */
export const trialArchive = (): Buffer => {
  const base = execFileSync("perl", ["-e", "print grep { /perl-base/ } @INC"], { encoding: "utf8" });
  const paths = new Set([...programs, ...programs.flatMap(libraries), ...(base === "" ? [] : tree(base))]);
  const files: TarEntry[] = [...paths].map((path) => ({
    name: path.slice(1),
    content: readFileSync(realpathSync(path)),
    mode: 0o755,
  }));
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return ociArchive({ ref: trialImage, architecture, files, config: { Env: ["PATH=/usr/bin:/bin"] } });
};
