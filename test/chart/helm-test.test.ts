import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { migrationSpecSchema } from "../../src/resources/migration.ts";
import { find, type Rendered, render, run, template } from "./tools.ts";

/** The objects of `helm test`; test/cluster/helm-test.test.ts runs it. */

interface Container {
  name: string;
  image: string;
  args: string[];
  restartPolicy?: string;
}
interface Pod {
  spec: { containers: Container[]; initContainers: Container[] };
}
const image = "registry.test/postgres:18";
const hooks = (objects: readonly Rendered[]) =>
  objects.filter(({ metadata }) => metadata.annotations?.["helm.sh/hook"] !== undefined);

it("by default there is no test", async () => {
  expect(hooks(await render())).toEqual([]);
});

it("a test is hooks alone, which Helm removes after it, with rights on Migrations of its own namespace only", async () => {
  const before = await render();
  const objects = await render({ helmTest: { image } });
  const own = hooks(objects);
  expect(own.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
    "Pod rowferry-test",
    "Role rowferry-test",
    "RoleBinding rowferry-test",
    "Secret rowferry-test-source",
    "Secret rowferry-test-target",
    "Service rowferry-test",
    "ServiceAccount rowferry-test",
  ]);
  expect(objects.length).toBe(before.length + own.length);
  for (const { metadata } of own) {
    expect(metadata.annotations?.["helm.sh/hook"]).toBe("test");
    expect(metadata.annotations?.["helm.sh/hook-delete-policy"]).toBe("before-hook-creation,hook-succeeded");
    expect(metadata.namespace).toBe("rowferry-system");
  }
  expect(find<{ rules: object[] }>(objects, "Role", "rowferry-test").rules).toEqual([
    { apiGroups: ["rowferry.dev"], resources: ["migrations"], verbs: ["create", "get", "delete"] },
  ]);
});

it("its pod has two servers of the given image, and a script that node takes and that makes a valid Migration", async () => {
  const { spec } = find<Pod>(await render({ helmTest: { image } }), "Pod", "rowferry-test");
  expect(spec.initContainers.map(({ name, restartPolicy, ...one }) => [name, one.image, restartPolicy])).toEqual([
    ["source", image, "Always"],
    ["target", image, "Always"],
  ]);
  const script = spec.containers[0]?.args[0] ?? "";
  const file = join(await mkdtemp(join(tmpdir(), "helm-test-")), "test.mjs");
  await writeFile(file, script);
  expect(await run(process.execPath, ["--check", file])).toMatchObject({ code: 0, stderr: "" });
  const url = (name: string) => ({ secretRef: { name, key: "url" } });
  const made = {
    source: url("rowferry-test-source"),
    target: url("rowferry-test-target"),
    ttlSecondsAfterFinished: 600,
  };
  expect(script).toContain(
    'spec: { source: url("rowferry-test-source"), target: url("rowferry-test-target"), ttlSecondsAfterFinished: 600 }',
  );
  expect(migrationSpecSchema.safeParse(made).error).toBeUndefined();
});

it("a deadline under a minute is refused by its value's name", async () => {
  const { code, stderr } = await template({ helmTest: { image, timeoutSeconds: 5 } });
  expect(code).not.toBe(0);
  expect(stderr).toContain("timeoutSeconds");
});
