import type { ToolName } from "../../dev/cluster/binaries/index.ts";
import type { Purpose } from "../../dev/debian/index.ts";

/**
 * The parts of the test suite: one line each. `vitest.config.ts` makes a project of each line, and `test/run.ts` plans by them.
 */
export interface Part {
  /** Also vitest's project. */
  name: string;
  /** Where its tests are; `test/<name>` if absent. */
  folders?: readonly string[];
  /** Fewer tests than this in a complete run are a failure: somebody lost some. Raise it when you add tests. */
  floor: number;
  /** Rough seconds of all its files, one after the other, on a quiet machine with two cores. */
  seconds: number;
  /** Rough seconds of files that take longer than most of their part, by their path in `test/<name>` without `.test.ts`. */
  slow?: Readonly<Record<string, number>>;
  /** Limit of one test, at most 10: a job without progress for longer ends. */
  minutes: number;
  /** Global setup, which every process of the part runs. */
  setup?: string;
  /** How many processes share its files; by default as many as `jobSeconds` gives. */
  processes?: number;
  /** It mostly waits: runs besides the others, and none waits for it. */
  beside?: true;
  /** It needs Kubernetes' programs. */
  kubernetes?: true;
  /** It needs these, too. The run makes what is not there before it starts a job that needs it: `programs.ts`. */
  programs?: readonly ToolName[];
  /** It starts databases or a cluster by namespaces of Linux. */
  root?: true;
  /** What it needs of Debian besides `roots`, which every part with `root` needs. */
  packages?: readonly Purpose[];
}

export const parts: readonly Part[] = [
  {
    name: "unit",
    folders: ["src", "controllers", "dev", "bench"],
    floor: 3500,
    seconds: 55,
    minutes: 1 / 2,
    processes: 1,
  },
  { name: "repository", floor: 268, seconds: 27, minutes: 1 },
  { name: "mutants", floor: 16, seconds: 25, minutes: 3 },
  {
    name: "engine",
    floor: 1295,
    seconds: 920,
    slow: {
      "checksum/bits": 35,
      "run/spatial-postgres": 35,
      "postgres-postgres/transfer": 30,
      "run/reset-elsewhere": 28,
      "mysql/rogue": 25,
      "run/servers": 25,
      "mysql-postgres/options": 24,
      "run/spatial": 22,
      "assess/rows": 20,
      "assess/agrees": 20,
      "postgres-postgres/touched": 20,
    },
    minutes: 3,
    root: true,
    packages: ["maven"],
  },
  { name: "chaos", floor: 1, seconds: 81, minutes: 10, root: true },
  { name: "property", floor: 1, seconds: 27, minutes: 5, root: true },
  { name: "backup", floor: 104, seconds: 190, minutes: 3, root: true, programs: ["versitygw"], packages: ["backup"] },
  { name: "cli", floor: 67, seconds: 135, minutes: 2, root: true, packages: ["shells"] },
  { name: "worker", floor: 61, seconds: 48, minutes: 2, root: true },
  { name: "prober", floor: 75, seconds: 88, minutes: 2, root: true },
  {
    name: "operator",
    floor: 248,
    seconds: 205,
    minutes: 3,
    setup: "test/operator/setup.ts",
    processes: 1,
    kubernetes: true,
    programs: ["helm", "versitygw"],
  },
  {
    name: "backup-operator",
    floor: 88,
    seconds: 350,
    slow: { "chaos/chaos": 160, "chaos/directed": 40 },
    minutes: 3,
    setup: "test/operator/setup.ts",
    processes: 1,
    kubernetes: true,
    programs: ["helm", "versitygw"],
    root: true,
    packages: ["backup"],
  },
  {
    name: "api",
    floor: 934,
    seconds: 450,
    minutes: 2,
    setup: "test/api/setup.ts",
    processes: 2,
    kubernetes: true,
    programs: ["helm", "versitygw"],
    root: true,
    packages: ["python", "curl"],
  },
  {
    name: "mcp",
    floor: 67,
    seconds: 90,
    minutes: 3,
    setup: "test/api/setup.ts",
    processes: 1,
    kubernetes: true,
    programs: ["helm"],
    root: true,
    packages: ["python"],
  },
  { name: "load", floor: 40, seconds: 75, minutes: 5, kubernetes: true, programs: ["helm"] },
  {
    name: "fuzz",
    floor: 1,
    seconds: 70,
    minutes: 10,
    kubernetes: true,
    programs: ["helm"],
    root: true,
    packages: ["python"],
  },
  { name: "guard", floor: 450, seconds: 78, minutes: 3, root: true, packages: ["cluster"] },
  { name: "chart", floor: 163, seconds: 39, minutes: 3, kubernetes: true, programs: ["helm", "kubeconform"] },
  {
    name: "stripe",
    floor: 110,
    seconds: 18,
    minutes: 1,
    setup: "test/stripe/setup.ts",
    processes: 1,
    programs: ["stripeMock"],
  },
  {
    name: "billing",
    floor: 168,
    seconds: 500,
    minutes: 6,
    setup: "test/billing/setup.ts",
    processes: 2,
    kubernetes: true,
    programs: ["helm"],
    root: true,
    packages: ["browser"],
  },
  { name: "site", floor: 34, seconds: 100, minutes: 2, root: true, packages: ["browser"] },
  {
    name: "dev",
    floor: 63,
    seconds: 270,
    minutes: 10,
    kubernetes: true,
    programs: ["helm"],
    root: true,
    packages: ["cluster", "curl"],
  },
  { name: "databases", floor: 115, seconds: 70, minutes: 5, root: true, packages: ["maven"] },
  { name: "public-samples", floor: 31, seconds: 120, minutes: 3, root: true },
  {
    name: "first-hour",
    floor: 7,
    seconds: 128,
    minutes: 10,
    kubernetes: true,
    programs: ["coredns", "helm", "versitygw"],
    root: true,
  },
  {
    name: "cluster",
    floor: 54,
    seconds: 640,
    slow: { nodes: 180 },
    minutes: 10,
    setup: "test/cluster/setup.ts",
    processes: 1,
    beside: true,
    kubernetes: true,
    programs: ["coredns", "helm"],
    root: true,
    packages: ["cluster"],
  },
];

export const foldersOf = ({ name, folders }: Part): readonly string[] => folders ?? [`test/${name}`];

/** The global setups of a part's processes. The first gives the others the run's folder for temporary files. */
export const setupsOf = ({ setup }: Part): string[] => ["test/scratch.ts", ...(setup === undefined ? [] : [setup])];

/** The part that a test file belongs to; `file` is relative to the repository. */
export const partOf = (file: string): Part | undefined =>
  parts.find((part) => foldersOf(part).some((folder) => file.startsWith(`${folder}/`)));
