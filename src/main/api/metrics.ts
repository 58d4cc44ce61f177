import type { Metric } from "../../../controllers/runtime/health.ts";
import { type Ceilings, counted } from "../../requests/ceilings.ts";
import type { World } from "../../requests/world.ts";

/** What the API counts for Prometheus. */
export function createTally() {
  const answers = new Map<string, number>();
  const time = new Map<string, number>();
  const asked = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string, value = 1) => counts.set(key, (counts.get(key) ?? 0) + value);

  return {
    answered(operation: string, status: number, milliseconds: number): void {
      add(answers, `${operation} ${status}`);
      add(time, operation, milliseconds / 1000);
    },
    /** One request to the Kubernetes API, without the watches. */
    asked: (method: string): void => void add(asked, method),
    metrics({ streams, caches, ceilings }: { streams: number; caches: World["caches"]; ceilings: Ceilings }): Metric[] {
      const gauge = (name: string, help: string, value: number): Metric => ({ name, help, type: "gauge", value });
      return [
        ...[...answers].map(([key, value]): Metric => {
          const [operation = "", status = ""] = key.split(" ");
          return {
            name: "rowferry_api_answers_total",
            help: "Answers, by operation and status; 0: its caller had gone.",
            type: "counter",
            value,
            labels: { operation, status },
          };
        }),
        ...[...time].map(
          ([operation, value]): Metric => ({
            name: "rowferry_api_seconds_total",
            help: "Seconds that answers took.",
            type: "counter",
            value,
            labels: { operation },
          }),
        ),
        ...[...asked].map(
          ([method, value]): Metric => ({
            name: "rowferry_api_kubernetes_requests_total",
            help: "Requests to the Kubernetes API, without watches.",
            type: "counter",
            value,
            labels: { method },
          }),
        ),
        gauge("rowferry_api_streams", "Streams of events that are open.", streams),
        gauge("rowferry_api_migrations", "Migrations in the cache.", [...caches.migrations.all()].length),
        gauge("rowferry_api_teams", "Teams in the cache.", [...caches.teams.all()].length),
        ...ofCeilings(ceilings),
        gauge("process_resident_memory_bytes", "Resident memory size in bytes.", process.memoryUsage.rss()),
      ];
    },
  };
}

/** What is used of each ceiling, the installation's and, as the most that any has, an account's. */
function ofCeilings({ limits, used, mostOfOne }: Ceilings): Metric[] {
  const rows = { installation: used(), account: mostOfOne() };
  return (["installation", "account"] as const).flatMap((scope) =>
    counted.flatMap((what): Metric[] => {
      const labels = { scope, of: what };
      return [
        {
          name: "rowferry_api_used",
          help: "Stored resources that ceilings limit; scope account: the largest number of any account.",
          type: "gauge",
          value: rows[scope][what],
          labels,
        },
        {
          name: "rowferry_api_ceiling",
          help: "The ceilings; 0: no ceiling.",
          type: "gauge",
          value: limits[scope][what],
          labels,
        },
      ];
    }),
  );
}
