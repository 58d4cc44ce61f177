import { join, resolve } from "node:path";
import { parseAllDocuments } from "yaml";
import { program, type ToolName } from "../../dev/cluster/binaries/index.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { runProgram } from "../run-program.ts";

/** Helm and its like, from the cache or made there, and the chart as Helm renders it. */
export const chart = resolve(import.meta.dirname, "../../charts/rowferry");

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end; never rejects for its exit code. */
export async function run(command: string, args: string[], input = ""): Promise<Ended> {
  const { code, out, err } = await runProgram(command, args, { input });
  return { code, stdout: out, stderr: err };
}

export async function tool(name: ToolName, file: string = name): Promise<string> {
  const terminal = openTerminal({ name: "test-chart" });
  try {
    return await program(name, file, { terminal });
  } finally {
    terminal.close();
  }
}

const home = "rowferry-system";

/** `helm template` with values as a person would give them; a Helm of the Go module knows no newer Kubernetes by itself. */
export async function template(values: object = {}, namespace = home): Promise<Ended> {
  const args = ["template", "rowferry", chart, `--namespace=${namespace}`, "--kube-version=1.34.4", "--values=-"];
  return run(await tool("helm"), args, JSON.stringify(values));
}

export interface Rendered {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [part: string]: unknown;
}

/** The objects that Helm would apply. Rejects with Helm's words. */
export async function render(values: object = {}, namespace = home): Promise<Rendered[]> {
  const { code, stdout, stderr } = await template(values, namespace);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const object = document.toJS() as Rendered | null;
    return object === null ? [] : [object];
  });
}

/** The one object of this kind and name. */
export function find<Shape>(objects: readonly Rendered[], kind: string, name = "rowferry-operator"): Rendered & Shape {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
  if (found.length !== 1) throw new Error(`${found.length} objects are a ${kind} called ${name}`);
  return found[0] as Rendered & Shape;
}

export const crdFolder = join(chart, "files/crds");
