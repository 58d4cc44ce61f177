import { expect, test } from "vitest";
import type { SourceColumn, SourceForeignKey, SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import type { MysqlToCopyEncoder } from "../../../rows/mysql-to-copy/encoder.ts";
import type { MysqlToCopyFindings } from "../../../rows/mysql-to-copy/fields.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { createProgress } from "../../../run/progress.ts";
import { createObservedTypes } from "../columns/observed-types.ts";
import { createScheme } from "../tables/scheme.ts";
import { planTable, type TablePlan } from "../tables/table-plan.ts";
import type { PartResult, PartWork } from "./copy-part.ts";
import { copyTables, createTableState } from "./copy-tables.ts";

/** The scheduling of parts, checked as a model: each step waits until it is chosen, and many orders of steps are tried. */

type Choose = (choices: number) => number;

interface Rows {
  /** Of each part; a number above bigint's is what breaks the guess. */
  parts: bigint[][];
  to?: string;
  /** The first proof finds values that differ, and the table is made anew. */
  refuted?: true;
}

const column = (name: string): SourceColumn => ({
  name,
  dataType: "bigint",
  columnType: "bigint unsigned",
  nullable: true,
  default: null,
  extra: "",
  characters: null,
  precision: 20,
  scale: 0,
  fraction: 0,
  characterSet: null,
  collation: null,
  comment: "",
  generation: "",
  srid: null,
});

const key = (to: string): SourceForeignKey => ({
  name: `to_${to}`,
  columns: ["v"],
  referencedSchema: "d",
  referencedTable: to,
  referencedColumns: ["v"],
  onUpdate: "",
  onDelete: "",
});

const table = (name: string, to: string | undefined): SourceTable => ({
  name,
  engine: "InnoDB",
  versioned: false,
  partitions: null,
  rows: 0,
  dataBytes: 0,
  indexBytes: 0,
  autoIncrement: null,
  collation: "",
  comment: "",
  columns: [column("v")],
  indexes: [],
  foreignKeys: to === undefined ? [] : [key(to)],
  checks: [],
});

const largest = 2n ** 63n - 1n;

/** Answers with what stands in the target, or throws what the copy threw, or that it hangs. */
async function play(wanted: Record<string, Rows>, streams: number, choose: Choose, abortAfter = Number.NaN) {
  const gates: (() => void)[] = [];
  const gate = () => new Promise<void>((resolve) => gates.push(resolve));
  const sources = Object.entries(wanted).map(([name, { to }]) => table(name, to));
  const scheme = createScheme("d", false, sources, [], {
    schema: "d",
    zero: undefined,
    forced: new Map(),
    rowless: false,
    sourceVersion: 90700,
    targetVersion: 180006,
    icu: true,
    postgis: undefined,
    btreeGist: false,
  });
  const observedTypes = createObservedTypes(sources, "null", () => undefined);
  const plan = (name: string) =>
    planTable(scheme, sources.find((one) => one.name === name) as SourceTable, observedTypes.of(name));
  const target = new Map<string, { sql: string; rows: bigint[]; writers: number; making: boolean }>();
  const sqlOf = ({ columns }: TablePlan) => columns[0]?.sql ?? "";
  const states = sources.map(({ name }) => {
    const first = plan(name);
    target.set(name, { sql: sqlOf(first), rows: [], writers: 0, making: false });
    const parts = (wanted[name]?.parts ?? []).map((_, at) => ({ name: `${at}`, where: undefined }));
    return createTableState(first, parts);
  });
  for (const group of observedTypes.groups) {
    const members = states.filter((state) => group.includes(state.plan.source.name));
    for (const member of members) member.group = members;
  }
  const there = (of: TablePlan) => target.get(of.source.name) as NonNullable<ReturnType<typeof target.get>>;

  const copy = async (work: PartWork): Promise<PartResult> => {
    const { name } = work.plan.source;
    const mine = there(work.plan);
    if (mine.making || mine.sql !== sqlOf(work.plan)) throw new Error(`${name} is copied by a plan that is not there`);
    mine.writers++;
    const encoder = {
      discarded: false,
      discard() {
        encoder.discarded = true;
      },
    };
    const entry = { encoder: encoder as unknown as MysqlToCopyEncoder, reader: work.reader };
    if (work.isStopped()) encoder.discard();
    work.running.add(entry);
    const finding: MysqlToCopyFindings = { nuls: 0, dates: 0, srids: 0, srid: 0, seen: false, broken: undefined };
    try {
      await gate();
      const rows = wanted[name]?.parts[Number(work.part.name)] ?? [];
      if (!encoder.discarded && mine.sql === "bigint" && rows.some((value) => value > largest)) {
        finding.broken = "a number above bigint's";
        work.broke();
        await gate();
      }
      if (finding.broken !== undefined || encoder.discarded) return { broken: true, findings: [finding] };
      // From here on nothing looks at the table's being stopped: the rows are committed.
      await gate();
      mine.rows.push(...rows);
      return { broken: false, rows: rows.length, findings: [finding] };
    } finally {
      mine.writers--;
      work.running.delete(entry);
    }
  };

  const progress = createProgress(() => undefined);
  progress.plan(sources.map(({ name }) => ({ name, rows: 0, bytes: 0 })));
  const abort = new AbortController();
  const copied: string[] = [];
  const refuted = new Set<string>();
  const reader = () => ({ query: async () => [] }) as unknown as Reader;
  let result: { error?: unknown } | undefined;
  const run = copyTables({
    states,
    snapshot: { readers: Array.from({ length: streams }, reader), cancel: async () => undefined },
    open: async () => ({ end: async () => undefined }) as unknown as Writer,
    fence: {} as Fence<Writer>,
    progress,
    throttle: { take: () => undefined },
    signal: abort.signal,
    failed: () => undefined,
    copy,
    teach: (used, findings) =>
      [...observedTypes.observe(used, findings)].flatMap((name) => {
        const state = states.find((one) => one.plan.source.name === name);
        return state === undefined ? [] : [{ state, plan: plan(name) }];
      }),
    async prove(_reader, _writer, { source: { name } }) {
      await gate();
      if (wanted[name]?.refuted === undefined || refuted.has(name)) return undefined;
      refuted.add(name);
      return plan(name);
    },
    async remake(_, before, after) {
      const mine = there(before);
      if (mine.making || mine.writers > 0) throw new Error(`${before.source.name} is made anew while it is in use`);
      mine.making = true;
      await gate();
      mine.rows = [];
      mine.sql = sqlOf(after);
      mine.making = false;
    },
    copied: (state) => copied.push(state.plan.source.name),
  });
  run.then(
    () => {
      result = {};
    },
    (error: unknown) => {
      result = { error };
    },
  );
  for (let step = 0; ; step++) {
    // All that follows from the last step by itself.
    await new Promise((resolve) => setImmediate(resolve));
    if (result !== undefined) break;
    if (step === abortAfter) abort.abort(new Error("enough"));
    else if (gates.length === 0) throw new Error("every stream sleeps");
    // What an abort cuts off comes back as well.
    else gates.splice(choose(gates.length), 1)[0]?.();
  }
  if (result.error !== undefined) throw result.error;
  expect(copied.sort()).toEqual(Object.keys(wanted).sort());
  return new Map([...target].map(([name, { sql, rows }]) => [name, { sql, rows: rows.sort((a, b) => Number(a - b)) }]));
}

/** Every order of steps, by depth first: each run takes the last choice that has an alternative, and the first from there. */
async function everyOrder(run: (choose: Choose) => Promise<void>, most: number): Promise<number> {
  let path: { taken: number; of: number }[] = [];
  for (let runs = 1; ; runs++) {
    let at = 0;
    await run((of) => {
      path[at] ??= { taken: 0, of };
      return path[at++]?.taken ?? 0;
    });
    path = path.slice(0, at);
    while (path.length > 0 && (path.at(-1)?.taken ?? 0) + 1 === path.at(-1)?.of) path.pop();
    const last = path.at(-1);
    if (last === undefined || runs === most) return runs;
    last.taken++;
  }
}

/** Park and Miller's. */
const randomly = (seed: number): Choose => {
  let state = seed;
  return (choices) => {
    state = (state * 48271) % 2147483647;
    return state % choices;
  };
};

const large = 18446744073709551614n;
const numeric = (rows: bigint[]) => ({ sql: "numeric(20,0)", rows });

test("joined tables that both break are each made anew and copied once, in every order of two streams' steps", async () => {
  const wanted = { bc: { parts: [[large]], to: "bu" }, bu: { parts: [[1n, large]] } };
  const orders = await everyOrder(async (choose) => {
    const target = await play(wanted, 2, choose);
    expect(target).toEqual(
      new Map([
        ["bc", numeric([large])],
        ["bu", numeric([1n, large])],
      ]),
    );
  }, 20_000);
  expect(orders).toBeGreaterThan(10);
  expect(orders).toBeLessThan(20_000);
});

test("tables of several parts, joined and not, end with their rows once in random orders of three streams", async () => {
  const first = Math.floor(Math.random() * 1e9) + 1;
  console.log(`random orders from seed ${first}`);
  const wanted = {
    apart: { parts: [[1n], [2n]], refuted: true as const },
    child: { parts: [[1n], [large], [2n]], to: "up" },
    grandchild: { parts: [[1n]], to: "child", refuted: true as const },
    up: { parts: [[1n, 2n], [large]] },
  };
  for (let seed = first; seed < first + 1000; seed++) {
    const target = await play(wanted, 3, randomly(seed)).catch((error: unknown) => {
      throw new Error(`with seed ${seed}`, { cause: error });
    });
    expect(target, `with seed ${seed}`).toEqual(
      new Map([
        ["apart", { sql: "bigint", rows: [1n, 2n] }],
        ["child", numeric([1n, 2n, large])],
        ["grandchild", numeric([1n])],
        ["up", numeric([1n, 2n, large])],
      ]),
    );
  }
});

test("an abort ends streams that wait for others, at whichever step it comes", async () => {
  const wanted = { bc: { parts: [[large]], to: "bu" }, bu: { parts: [[1n, large]] } };
  for (let step = 0; step < 6; step++)
    for (let seed = 1; seed < 20; seed++)
      await expect(play(wanted, 3, randomly(seed), step), `step ${step}, seed ${seed}`).rejects.toThrow("enough");
});
