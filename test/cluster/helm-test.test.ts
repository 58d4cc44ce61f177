import { expect, inject, test } from "vitest";
import { tool } from "../chart/tools.ts";
import { runProgram } from "../run-program.ts";
import { get, kubectl } from "./kube.ts";

/** What its pod runs is in charts/rowferry/files/test.mjs: it fails unless the target has the rows of the source. */
test("helm test migrates between two throw-away servers, and leaves nothing behind", async () => {
  const { kubeconfig, system } = inject("cluster");
  const args = ["test", "rowferry", "--namespace", system, "--kubeconfig", kubeconfig, "--timeout=240s"];
  const { code, out, err } = await runProgram(await tool("helm"), args);
  const logs = code === 0 ? "" : await kubectl(["logs", "rowferry-test", "--all-containers", "--prefix", "-n", system]);
  expect(`${err}${logs}`).toBe("");
  expect(out).toMatch(/Phase:\s+Succeeded/);
  expect(code).toBe(0);
  const left = await get("pods,secrets,services,serviceaccounts,roles,rolebindings,migrations", system);
  const names = (left as unknown as { items: { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  );
  expect(names.filter((name) => name.startsWith("rowferry-test"))).toEqual([]);
}, 300_000);
