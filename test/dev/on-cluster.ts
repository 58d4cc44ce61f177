import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clone, type Sandbox } from "./sandbox.ts";
import { trialArchive } from "./trial-image.ts";

/** Runs TypeScript in a sandbox with `cluster`, the named cluster, in scope, and returns what it prints. */
export const onCluster = async (box: Sandbox, name: string, words: string): Promise<string> => {
  const from = (path: string): string => JSON.stringify(join(clone, path));
  const file = join(box.cache, "on-cluster.ts");
  writeFileSync(
    file,
    `import { openTerminal } from ${from("dev/terminal/index.ts")};
import { openCluster } from ${from("dev/cluster/index.ts")};
const terminal = openTerminal({ name: "on-cluster" });
const cluster = await openCluster({ name: ${JSON.stringify(name)}, terminal });
${words}
`,
  );
  const { code, output } = await box.run("node", [file]);
  if (code !== 0) throw new Error(output);
  return output;
};

/** Brings the trial image to a cluster's node; returns whether containerd had to unpack it. */
export const loadTrial = async (box: Sandbox, name: string): Promise<boolean> => {
  const archive = join(box.cache, "trial.tar");
  writeFileSync(archive, trialArchive());
  const words = `await cluster.loadImage({ archive: ${JSON.stringify(archive)} });
const { existsSync, readFileSync } = await import("node:fs");
console.log(existsSync(terminal.logFile) ? readFileSync(terminal.logFile, "utf8") : "");`;
  return (await onCluster(box, name, words)).includes("unpacking ");
};
