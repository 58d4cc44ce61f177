// A program of a root file system as a process of this machine: by the root's own loader and libraries, which this machine need not have.
import { basename, join } from "node:path";

/** The command and its first arguments; the program's own follow. `program`: its path inside the root. */
export const rootProgram = (root: string, program: string): [command: string, ...args: string[]] => {
  const libraries = ["lib", "usr/lib"].flatMap((lib) =>
    ["x86_64-linux-gnu", "aarch64-linux-gnu"].map((machine) => join(root, lib, machine)),
  );
  const loader = process.arch === "x64" ? "lib64/ld-linux-x86-64.so.2" : "lib/ld-linux-aarch64.so.1";
  const at = ["--library-path", libraries.join(":"), "--argv0", basename(program)];
  return [join(root, "usr", loader), ...at, join(root, program)];
};
