import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { failure } from "../dev/terminal/failure.ts";

/** Finds the public sample databases, the only files outside the repository that tests read. Only the part of this name reads them. */

const publicSamplesPart = "public-samples";

const root = resolve(import.meta.dirname, "..");
const besideTheRepository = "../shared/data";

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

/** False for the part of the public samples if its folder is missing. */
export const isPresent = ({ name }: { name: string }): boolean =>
  name !== publicSamplesPart || publicSamplesFolder() !== undefined;

export const publicSamplesNotRun = `not run, needs the folder ${besideTheRepository} with Sakila, Pagila and Chinook, or ROWFERRY_SAMPLES: ${publicSamplesPart}`;
