// The options that the commands around the cluster share.
import { parseArgs } from "node:util";

export type ClusterOptions = { name: string; useCurrentContext: boolean; processes: boolean };

/** For `parseArgs`, where a command has options of its own as well. */
export const clusterOptions = {
  name: { type: "string", default: "dev" },
  "use-current-context": { type: "boolean", default: false },
  processes: { type: "boolean", default: false },
} as const;

/** A command line that holds these options alone. Throws an error that names what it does not know. */
export const parseClusterOptions = (args: string[]): ClusterOptions => {
  const { values } = parseArgs({ args, options: clusterOptions, strict: true, allowPositionals: false });
  return { name: values.name, useCurrentContext: values["use-current-context"], processes: values.processes };
};

/** The options as far as they stand in front; `rest` begins with the first word that is not one of them. */
export const leadingClusterOptions = (
  args: readonly string[],
): Omit<ClusterOptions, "processes"> & { rest: string[] } => {
  const found = { name: "dev", useCurrentContext: false };
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--use-current-context") found.useCurrentContext = true;
    else if (word.startsWith("--name=")) found.name = word.slice("--name=".length);
    else if (word === "--name") found.name = args[++at] ?? "";
    else break;
  }
  return { ...found, rest: args.slice(at) };
};
