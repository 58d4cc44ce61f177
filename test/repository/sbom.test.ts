import { expect, it } from "vitest";
import { sbom } from "../../dev/sbom.ts";

/** Licences under which others' code may be in an image that anybody may use and pass on. */
const allowed = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"];

const list = await sbom();

it("the bill of materials has each package of the bundles with its version, origin and digest", () => {
  expect(list).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    metadata: { component: { name: "rowferry" } },
  });
  const names = list.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["express", "@kubernetes/client-node", "age-encryption"]));
  // For tests and builds alone.
  for (const name of ["vitest", "typescript", "esbuild"]) expect(names).not.toContain(name);
  for (const { name, version, purl, hashes = [] } of list.components) {
    expect(purl, name).toMatch(/^pkg:npm\//);
    expect(purl, name).toContain(`@${version}`);
    expect(hashes, name).toContainEqual({ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) });
  }
  const refs = new Set([...list.components, list.metadata.component].map((component) => component["bom-ref"]));
  for (const { ref, dependsOn = [] } of list.dependencies)
    for (const one of [ref, ...dependsOn]) expect(refs).toContain(one);
});

it("each package of the bundles has a licence that lets everybody use and pass it on", () => {
  const other = list.components.flatMap(({ name, licenses = [] }) => {
    const ids = licenses.map((one) =>
      "expression" in one ? one.expression : (one.license.id ?? one.license.name ?? ""),
    );
    return ids.some((id) => allowed.includes(id)) ? [] : [`${name}: ${ids.join(", ") || "no licence is named"}`];
  });
  expect(other).toEqual([]);
});
