import { join } from "node:path";
import { expect, test } from "vitest";
import { processImages } from "../../dev/cluster/processes/images.ts";
import { launchOf } from "../../dev/cluster/processes/kubelet/container.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { run } from "../../dev/terminal/run.ts";

test("a worker as a process finds a pg_dump that takes a PostgreSQL 18 source, also on a machine that has an older one", async () => {
  const terminal = openTerminal({ name: "process-images" });
  const { app } = await processImages({ terminal });
  terminal.close();
  const { env } = launchOf({
    ...{ container: { name: "worker", image: app.ref }, values: {}, root: "/nowhere", image: app.archive },
    ...{ inImage: () => false, node: process.execPath, path: process.env["PATH"] ?? "" },
    ...{ ports: new Map(), kubeconfig: undefined },
  });
  for (const name of ["pg_dump", "pg_restore", "psql"]) {
    const { stdout } = await run("sh", ["-c", `command -v ${name} && ${name} --version`], { env });
    const [path, version] = stdout.trim().split("\n");
    expect(path).toBe(join(app.archive, "bin", name));
    expect(Number(/ (\d+)\./.exec(version ?? "")?.[1]), version).toBeGreaterThanOrEqual(18);
  }
});
