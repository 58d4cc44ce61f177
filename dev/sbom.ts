import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./build.ts";

/**
 * `npm run sbom`: prints a software bill of materials (CycloneDX 1.5, JSON) of the packages whose code is in the image and in
 * the command line, by npm's own list. Packages for development alone are not in it; what Debian brings is in the
 * image's own dpkg database.
 */
export interface Sbom {
  bomFormat: string;
  specVersion: string;
  metadata: { component: { "bom-ref": string; name: string; version: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

interface Component {
  "bom-ref": string;
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[];
}

const repository = join(import.meta.dirname, "..");

/** The list; `npm run sbom` prints it. Throws where npm fails. */
export async function sbom(): Promise<Sbom> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-sbom-"));
  try {
    const { packages } = await bundle(folder);
    const lock = JSON.parse(await readFile(join(repository, "package-lock.json"), "utf8")) as {
      version: string;
      packages: Record<string, { version: string } | undefined>;
    };
    const bundled = new Set(packages.map((path) => `${nameOf(path)}@${lock.packages[path]?.version}`));
    const args = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"];
    const all = JSON.parse(
      execFileSync("npm", args, {
        cwd: repository,
        encoding: "utf8",
        maxBuffer: 64e6,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    ) as Sbom;
    const own = `rowferry@${lock.version}`;
    const kept = ({ name, version }: Component) => bundled.has(`${name}@${version}`);
    const components = all.components.filter(kept);
    const refs = new Set(components.map((component) => component["bom-ref"]));
    return {
      ...all,
      metadata: { ...all.metadata, component: { ...all.metadata.component, name: "rowferry" } },
      components,
      dependencies: [
        { ref: own, dependsOn: [...refs] },
        ...all.dependencies
          .filter(({ ref }) => refs.has(ref))
          .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

if (import.meta.main) console.log(JSON.stringify(await sbom(), null, 2));
