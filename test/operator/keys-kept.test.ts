import { spawn } from "node:child_process";
import { randomBytes, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installed } from "../../src/resources/crd/installed.ts";
import { kinds, type Secret } from "../../src/resources/objects.ts";
import { type ControlPlane, startControlPlane, until } from "./control-plane.ts";
import { home, installAccount, installCrds, type OperatorProcess, startOperator } from "./operator.ts";
import { publishedKey } from "./sealing.ts";

/** The commands of docs/install.md by which keys are kept and put back, run as they stand there. */

let plane: ControlPlane;
let kubeconfig: string;
let operator: OperatorProcess | undefined;

beforeAll(async () => {
  plane = await startControlPlane({ controllers: "serviceaccount-controller" });
  await installCrds(plane);
  kubeconfig = await installAccount(plane);
});
afterAll(async () => {
  await operator?.stop("SIGKILL");
  await plane?.stop();
});

const page = readFileSync(new URL("../../docs/install.md", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "keys-"));

async function run(name: string): Promise<void> {
  const text = page.split(`<!-- run: ${name} -->`)[1]?.split("```")[1]?.replace(/^sh\n/, "") ?? "exit 1";
  const bin = mkdtempSync(join(tmpdir(), "bin-"));
  symlinkSync(plane.kubectlProgram, join(bin, "kubectl"));
  const child = spawn("bash", ["-euc", text], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, KUBECONFIG: plane.admin.kubeconfig },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (data) => {
    err += data;
  });
  expect(await new Promise((resolve) => child.once("close", resolve)), err).toBe(0);
}

const fields = ["ca.crt", "ca.key", "sealing.json", "secret", "tls.crt"];
const secretOf = (name: string) => plane.admin.client.get(kinds.secrets, home, name);
const textOf = (secret: Secret | undefined, field: string) =>
  Buffer.from(secret?.data?.[field] ?? "", "base64").toString();
const keysOf = async () => {
  const all = await Promise.all(["rowferry-operator-keys", installed.apiKeys].map(secretOf));
  return all.map((secret) => fields.map((field) => secret?.data?.[field] ?? ""));
};
const certificateOfApi = async () => textOf(await secretOf(installed.apiTls), "tls.crt");

async function startAnew(): Promise<void> {
  await operator?.stop();
  operator = await startOperator(plane, kubeconfig, "operator", { ROWFERRY_API_HOSTS: "api.example.com" });
  await until("the API's certificate and secret", async () => {
    const [certificate, secret] = [await certificateOfApi(), await secretOf(installed.apiKeys)];
    return certificate !== "" && textOf(secret, "secret") !== "";
  });
}

test("keys that were kept come back into an installation that made others, with certificates of their CA", async () => {
  await startAnew();
  const kept = await keysOf();
  await run("keep the keys");

  await operator?.stop();
  for (const name of ["rowferry-operator-keys", installed.apiKeys, installed.apiTls, installed.proberTls]) {
    const found = await secretOf(name);
    await plane.admin.client.remove(kinds.secrets, home, name, found?.metadata.uid ?? "");
  }
  await startAnew();
  const others = await keysOf();
  expect(others.flat().filter((value) => value !== "" && kept.flat().includes(value))).toEqual([]);

  await run("put the keys back");
  await startAnew();
  const ca = new X509Certificate(Buffer.from(kept[0]?.[0] ?? "", "base64"));
  await until("a certificate of the old CA", async () =>
    new X509Certificate(await certificateOfApi()).verify(ca.publicKey),
  );
  expect((await keysOf()).map((values) => values.slice(0, 4))).toEqual(kept.map((values) => values.slice(0, 4)));
  const published = await plane.admin.client.get(kinds.configMaps, home, installed.publicKeys);
  expect(published?.data?.["ca.crt"]).toBe(Buffer.from(kept[0]?.[0] ?? "", "base64").toString());
});

test("keys that the platform keeps in a file are sealed to, are read anew, and are in no Secret", async () => {
  const key = (id: string) => ({ id, privateKey: randomBytes(32).toString("base64") });
  const file = join(folder, "sealing.json");
  const keep = (keys: object[]) => writeFileSync(file, JSON.stringify(keys));
  const [one, two] = [key("one"), key("two")];
  keep([one]);
  await operator?.stop();
  operator = await startOperator(plane, kubeconfig, "operator", {
    ...{ ROWFERRY_SEALING_KEYS_FILE: file, ROWFERRY_KEYS_SECONDS: "1" },
  });
  const sealsTo = (id: string) => until(`the key ${id}`, async () => (await publishedKey(plane)).id === id);
  await sealsTo("one");
  keep([two, one]);
  await sealsTo("two");
  writeFileSync(file, "[]");
  await until("a log line", () => Promise.resolve(operator?.output().includes("at least one key")));
  expect((await publishedKey(plane)).id).toBe("two");
  const kept = textOf(await secretOf("rowferry-operator-keys"), "sealing.json");
  expect(kept).not.toContain('"two"');
  expect(operator.output()).not.toContain(two.privateKey);
});
