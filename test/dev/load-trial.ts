// Brings the trial image into a cluster that is up: `load-trial.ts NAME`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCluster } from "../../dev/cluster/index.ts";
import { runCommand } from "../../dev/terminal/command.ts";
import { trialArchive } from "./trial-image.ts";

await runCommand("load-trial", async ({ terminal }) => {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-trial-"));
  try {
    const archive = join(folder, "trial.tar");
    writeFileSync(archive, trialArchive());
    const cluster = await openCluster({ name: process.argv[2] ?? "", terminal });
    await cluster.loadImage(archive);
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
