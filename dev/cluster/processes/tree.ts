import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";

const add = (from: string, to: string, copy: boolean): void => {
  const found = lstatSync(from);
  if (found.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (found.isDirectory()) {
    mkdirSync(to);
    for (const name of readdirSync(from)) add(join(from, name), join(to, name), copy);
    chmodSync(to, found.mode & 0o7777);
  } else if (copy) copyFileSync(from, to);
  else linkSync(from, to);
};

/**
 * Puts a folder with all that is in it at `to`, whole or not at all: by hard links, which cost no space and outlive the
 * folder, or as a copy where that is asked for or the file system has no links.
 */
export const addTree = (from: string, to: string, { copy = false } = {}): void => {
  const part = `${to}.part`;
  const make = (copy: boolean): void => {
    rmSync(part, { recursive: true, force: true });
    add(from, part, copy);
    renameSync(part, to);
  };
  try {
    make(copy);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (copy || !["EXDEV", "EPERM", "EMLINK", "ENOTSUP"].includes(code)) throw error;
    make(true);
  }
};
