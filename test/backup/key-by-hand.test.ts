import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namespaceIdentity } from "../../controllers/backup-run/key-ring.ts";
import { commandsOf } from "./page.ts";

/** docs/restore-without-rowferry.md: the age keys of a namespace, derived by hand from the installation's Secret. */

const script = commandsOf("Get the key from the key ring");

test("each key of the key ring gives the namespace's age key that the service derives", () => {
  const folder = mkdtempSync(join(tmpdir(), "key-by-hand-"));
  const keys = [randomBytes(32), randomBytes(32), Buffer.alloc(32), Buffer.alloc(32, 255)];
  const kept = keys.map((key) => ({ key: key.toString("base64"), madeAt: "2026-01-01T00:00:00.000Z" }));
  const secret = { kind: "Secret", data: { "keys.json": Buffer.from(JSON.stringify(kept)).toString("base64") } };
  writeFileSync(join(folder, "secret.json"), JSON.stringify(secret));
  // In place of a cluster: test/backup-operator/surfaces.test.ts has one.
  writeFileSync(join(folder, "kubectl"), '#!/bin/sh\n[ "$3" = rowferry-backup-keys ] && cat secret.json\n');
  chmodSync(join(folder, "kubectl"), 0o755);
  for (const namespace of ["team-a", "rowferry-t0123456789abcdef0123"]) {
    execFileSync("bash", ["-c", script.replaceAll("team-a", namespace)], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env.PATH}` },
    });
    const written = readFileSync(join(folder, "key.txt"), "utf8").trim().split("\n");
    expect(written).toEqual(keys.map((key) => namespaceIdentity(key, namespace)));
    expect(statSync(join(folder, "key.txt")).mode & 0o777).toBe(0o600);
  }
});
