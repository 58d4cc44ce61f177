import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, it } from "vitest";
import { sourceFiles } from "../repository/imports.ts";
import { find, type Rendered, render } from "./tools.ts";

/** Monitors, alerts and the dashboard, as the chart renders them; their queries name metrics that the processes have. */

const enabled = { enabled: true };
const all = {
  monitoring: { serviceMonitor: enabled, podMonitor: enabled, prometheusRule: enabled, dashboard: enabled },
};

interface Rule {
  spec: {
    groups: {
      rules: { alert: string; expr: string; for: string; labels: object; annotations: Record<string, string> }[];
    }[];
  };
}
interface Dashboard {
  panels: { title: string; targets: { expr: string }[]; gridPos: { x: number; y: number; w: number; h: number } }[];
}

const rulesOf = (objects: readonly Rendered[]) =>
  find<Rule>(objects, "PrometheusRule", "rowferry").spec.groups.flatMap(({ rules }) => rules);
const dashboardOf = (objects: readonly Rendered[]): Dashboard => {
  const { data } = find<{ data: Record<string, string> }>(objects, "ConfigMap", "rowferry-dashboard");
  return JSON.parse(data["rowferry.json"] ?? "") as Dashboard;
};
const queriesOf = (objects: readonly Rendered[]): string[] => [
  ...rulesOf(objects).map(({ expr }) => expr),
  ...dashboardOf(objects).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

/** What is no PromQL, and the metrics that a query names. */
function read(query: string): { errors: string[]; metrics: string[] } {
  const errors: string[] = [];
  const metrics: string[] = [];
  parser.parse(query).iterate({
    enter({ type, name, from, to }) {
      if (type.isError) errors.push(`at ${from}: ${query.slice(Math.max(0, from - 20), to + 20)}`);
      if (name === "VectorSelector") metrics.push(/^\w+/.exec(query.slice(from, to))?.[0] ?? "");
    },
  });
  return { errors, metrics };
}

/** Names of metrics in the code, whole, and the beginnings of those that are put together. */
function metricsInCode(): (name: string) => boolean {
  const texts = sourceFiles(new URL("../..", import.meta.url).pathname, ["src", "controllers"])
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .map(({ text }) => text);
  const named = texts.flatMap((text) =>
    [...text.matchAll(/"((?:rowferry|process)_[a-z_]+)"/g)].map(([, name]) => name),
  );
  const made = texts.flatMap((text) =>
    [...text.matchAll(/`(rowferry_[a-z_]+)\$\{\w+\}([a-z_]*)`/g)].map(([, first = "", last = ""]) => ({ first, last })),
  );
  return (name) =>
    named.includes(name) || made.some(({ first, last }) => name.startsWith(first) && name.endsWith(last));
}

it("a query that is no PromQL is found, and so is the metric of one that is", () => {
  expect(read("sum by (a) (rate(x_total[5m]").errors).not.toEqual([]);
  expect(read("sum by (a rate(x_total[5m]))").errors).not.toEqual([]);
  expect(read('sum(rate(x_total{a="b"}[5m])) / y > 1')).toEqual({ errors: [], metrics: ["x_total", "y"] });
});

describe("alerts and dashboard", () => {
  it("are PromQL that names the code's metrics and no other", async () => {
    const queries = queriesOf(await render(all));
    expect(queries.length).toBeGreaterThan(25);
    expect(queries.flatMap((query) => read(query).errors)).toEqual([]);
    const isInCode = metricsInCode();
    expect(isInCode("rowferry_leaders")).toBe(false);
    const named = new Set(queries.flatMap((query) => read(query).metrics));
    expect(named.size).toBeGreaterThan(15);
    expect([...named].filter((name) => !isInCode(name))).toEqual([]);
  });

  it("cover what an installation dies of, each with words and a time", async () => {
    const rules = rulesOf(await render(all));
    expect(rules.map(({ alert }) => alert)).toEqual(
      expect.arrayContaining([
        ...["RowferryNoLeader", "RowferryQueueLatency", "RowferryRunsFail", "RowferryCacheStale"],
        "RowferryCertificateEnds",
      ]),
    );
    for (const { alert, expr, annotations, labels, for: wait } of rules) {
      expect(expr, alert).toContain('namespace="rowferry-system"');
      expect(annotations.summary, alert).toMatch(/^[A-Z].+[^.]$/);
      expect(annotations.description, alert).toMatch(/\.$/);
      expect(labels, alert).toHaveProperty("severity");
      expect(wait, alert).toMatch(/^\d+[mh]$/);
    }
  });

  it("have no two panels in one place", async () => {
    const places = dashboardOf(await render(all)).panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
  });
});

describe("monitors", () => {
  it("choose Services and pods that have the port", async () => {
    const objects = await render(all);
    for (const part of ["operator", "api", "prober"]) {
      const { spec } = find<{
        spec: { selector: { matchLabels: Record<string, string> }; endpoints: { port: string }[] };
      }>(objects, "ServiceMonitor", `rowferry-${part}`);
      const chosen = objects.filter(
        ({ kind, metadata }) =>
          kind === "Service" &&
          Object.entries(spec.selector.matchLabels).every(([label, value]) => metadata.labels?.[label] === value),
      ) as unknown as { spec: { ports: { name: string }[] } }[];
      const ports = chosen.flatMap((service) => service.spec.ports.map(({ name }) => name));
      expect(
        ports.filter((name) => name === spec.endpoints[0]?.port),
        part,
      ).toHaveLength(1);
    }
    const pods = find<{ spec: { podMetricsEndpoints: { port: string }[] } }>(objects, "PodMonitor", "rowferry");
    expect(pods.spec.podMetricsEndpoints.map(({ port }) => port)).toEqual(["http-metrics"]);
  });

  it("are left out by default, as are alerts and dashboard, and with the values of an earlier chart", async () => {
    for (const values of [{}, { monitoring: null, migrations: null, extraObjects: null }]) {
      const kinds = (await render(values)).map(({ kind }) => kind);
      for (const kind of ["ServiceMonitor", "PodMonitor", "PrometheusRule"]) expect(kinds).not.toContain(kind);
    }
  });

  it("carry labels by which a Prometheus finds them", async () => {
    const labels = { release: "prometheus" };
    const monitoring = { serviceMonitor: { enabled: true, labels }, prometheusRule: { enabled: true, labels } };
    const objects = await render({ monitoring });
    expect(find(objects, "ServiceMonitor").metadata.labels).toMatchObject(labels);
    expect(find(objects, "PrometheusRule", "rowferry").metadata.labels).toMatchObject(labels);
  });
});
