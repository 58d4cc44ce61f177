import { besideTheRepository, publicSamplesFolder } from "../../dev/public-samples.ts";

/** The part of the public samples, which is not run if their folder is missing. */

const publicSamplesPart = "public-samples";

/** False for the part of the public samples if its folder is missing. */
export const isPresent = ({ name }: { name: string }): boolean =>
  name !== publicSamplesPart || publicSamplesFolder() !== undefined;

export const publicSamplesNotRun = `not run, needs the folder ${besideTheRepository} with Sakila, Pagila and Chinook, or ROWFERRY_SAMPLES: ${publicSamplesPart}`;
