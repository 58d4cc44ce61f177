import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { failure } from "./terminal/failure.ts";

/** Finds the public sample databases, the only files outside the repository that tests and bench read. */

const root = resolve(import.meta.dirname, "..");

/** Where they are if ROWFERRY_SAMPLES names no folder, from the root of the repository. */
export const besideTheRepository = "../shared/data";

/** The folder that ROWFERRY_SAMPLES names, or the one beside the repository; undefined if neither exists. */
export function publicSamplesFolder(named = process.env.ROWFERRY_SAMPLES, beside = root): string | undefined {
  if (named !== undefined && named !== "") {
    const folder = resolve(named);
    if (!existsSync(folder))
      throw failure(
        `ROWFERRY_SAMPLES names ${folder}, which does not exist.`,
        "Set it to the folder of the public sample databases, or unset it.",
      );
    return folder;
  }
  const folder = resolve(beside, besideTheRepository);
  return existsSync(folder) ? folder : undefined;
}
