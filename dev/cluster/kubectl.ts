import { run } from "../terminal/run.ts";
import { type BinariesOptions, program } from "./binaries/index.ts";

/** A program of the user's, if it is on PATH and says a version that `enough` takes; else the cache's. */
const preferUsers = async (
  command: string,
  args: string[],
  enough: (version: string) => boolean,
  otherwise: () => Promise<string>,
): Promise<string> => {
  const said = await run(command, args, { timeoutMs: 5_000 }).catch(() => null);
  return said !== null && enough(said.stdout) ? command : otherwise();
};

/** kubectl for a cluster that is not ours alone: any that the user has. */
export const findKubectl = (options: BinariesOptions): Promise<string> =>
  preferUsers(
    "kubectl",
    ["version", "--client", "--output=json"],
    (text) => text.includes("gitVersion"),
    () => program("kubectl", "kubectl", options),
  );

/** helm 3: the user's, if it is one, else the cache's. */
export const findHelm = (options: BinariesOptions): Promise<string> =>
  preferUsers(
    "helm",
    ["version", "--short"],
    (text) => text.startsWith("v3."),
    () => program("helm", "helm", options),
  );
