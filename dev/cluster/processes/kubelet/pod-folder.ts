// What a pod has on the disk: the folder of its root, its output and the mark of its process.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessMark } from "../../local/processes.ts";

/** Its name is short: paths of unix sockets have 104 bytes on macOS. */
export const podFolder = (pods: string, uid: string): string => join(pods, uid.slice(0, 8));

/** The file with a pod's output. */
export const logOf = (pods: string, uid: string): string => join(podFolder(pods, uid), "log");

const markFile = "mark.json";

/** Writes the mark of a pod's process, whole or not at all. */
export const writeMark = (folder: string, mark: ProcessMark): void => {
  const part = join(folder, `${markFile}.part`);
  writeFileSync(part, JSON.stringify(mark), { mode: 0o600, flush: true });
  renameSync(part, join(folder, markFile));
};

/** The mark of a pod's process; undefined where none was started, or where the file cannot be read. */
export const markOf = (folder: string): ProcessMark | undefined => {
  const file = join(folder, markFile);
  if (!existsSync(file)) return undefined;
  try {
    const { pid, started, boot } = JSON.parse(readFileSync(file, "utf8")) as Partial<ProcessMark>;
    return pid === undefined || started === undefined || boot === undefined ? undefined : { pid, started, boot };
  } catch {
    return undefined;
  }
};
