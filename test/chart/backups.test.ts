import { describe, expect, it } from "vitest";
import { withBackups } from "../operator/admission.ts";
import { find, type Rendered, render, template } from "./tools.ts";

/** The chart's value `backups`. */

const kinds = ["backupruns", "backupschedules", "restores"];
const crdsOf = (objects: readonly Rendered[]) =>
  objects.filter(({ kind }) => kind === "CustomResourceDefinition").map(({ metadata }) => metadata.name);

interface Deployment {
  spec: {
    template: {
      spec: {
        volumes?: { name: string; secret?: { secretName: string } }[];
        containers: [{ env: { name: string; value?: string }[]; volumeMounts?: { name: string }[] }];
      };
    };
  };
}
const podOf = (objects: readonly Rendered[], name?: string) =>
  find<Deployment>(objects, "Deployment", name).spec.template.spec;
const envOf = (objects: readonly Rendered[], name?: string) =>
  Object.fromEntries(podOf(objects, name).containers[0].env.map((one) => [one.name, one.value]));

describe("without backups, which is the default", () => {
  it.each([
    ["the default values", {}],
    ["the values of an earlier chart", { backups: null }],
    ["a storage that is not enabled", { backups: { ...withBackups, enabled: false } }],
  ])("%s install no kind, right, setting or policy of backups", async (_what, values) => {
    const objects = await render(values);
    expect(crdsOf(objects)).toEqual(
      ["accountlogs", "accounts", "apitokens", "migrations", "teams"].map((one) => `${one}.rowferry.dev`),
    );
    const others = objects.filter(({ kind }) => kind !== "CustomResourceDefinition");
    const text = JSON.stringify(others);
    for (const word of [
      ...kinds,
      "BackupRun",
      "Restore'",
      "rowferry-backup-keys",
      "ROWFERRY_BACKUP_",
      "ROWFERRY_VERIFY",
    ])
      expect(text).not.toContain(word);
    expect(envOf(objects)).not.toHaveProperty("ROWFERRY_BACKUPS");
    expect(envOf(objects, "rowferry-api")).toMatchObject({ ROWFERRY_BACKUPS: "false" });
    expect(podOf(objects).volumes).toBeUndefined();
  });
});

describe("with backups", () => {
  it("the kinds are installed, the operator has the bucket, and only its pod has the credentials", async () => {
    const storage = { ...withBackups.storage, endpoint: "https://s3.example.com", prefix: "rowferry" };
    const objects = await render({ backups: { ...withBackups, storage, jitterSeconds: 0 } });
    expect(crdsOf(objects)).toEqual(expect.arrayContaining(kinds.map((one) => `${one}.rowferry.dev`)));
    const { ROWFERRY_BACKUP_BUCKET: bucket = "", ...env } = envOf(objects);
    expect(JSON.parse(bucket)).toEqual({
      ...{ bucket: "backups", region: "us-east-1", endpoint: "https://s3.example.com", prefix: "rowferry" },
    });
    expect(env).toMatchObject({ ROWFERRY_BACKUPS: "true", ROWFERRY_VERIFY_IMAGES: "{}" });
    expect(envOf(objects, "rowferry-api")).toMatchObject({ ROWFERRY_BACKUPS: "true" });
    const mounted = objects.filter((object) => JSON.stringify(object).includes('"secretName":"bucket"'));
    expect(mounted.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(["Deployment rowferry-operator"]);
    expect(podOf(objects).containers[0].volumeMounts?.map(({ name }) => name)).toEqual(["backup"]);
  });

  it.each([
    ["no bucket", { enabled: true }, "backups.storage.bucket is empty"],
    ["no Secret", { enabled: true, storage: { bucket: "x" } }, "backups.storage.secretName is empty"],
    ["an endpoint with a user", { storage: { endpoint: "https://a:b@s3.example.com" } }, "endpoint"],
    ["an image of no server that is known", { verification: { images: { oracle: "oracle:23" } } }, "oracle"],
  ])("%s is refused", async (_what, backups, words) => {
    const { code, stderr } = await template({ backups });
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });
});
