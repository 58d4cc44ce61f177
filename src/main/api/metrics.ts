import { counter, gauge, type Metric } from "../../../controllers/runtime/health.ts";
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
      return [
        ...[...answers].map(([key, value]) => {
          const [operation = "", status = ""] = key.split(" ");
          const help = "Answers, by operation and status; 0: its caller had gone.";
          return counter("rowferry_api_answers_total", help, value, { operation, status });
        }),
        ...[...time].map(([operation, value]) =>
          counter("rowferry_api_seconds_total", "Seconds that answers took.", value, { operation }),
        ),
        ...[...asked].map(([method, value]) => {
          const help = "Requests to the Kubernetes API, without watches.";
          return counter("rowferry_api_kubernetes_requests_total", help, value, { method });
        }),
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
      const help = "Stored resources that ceilings limit; scope account: the largest number of any account.";
      return [
        gauge("rowferry_api_used", help, rows[scope][what], labels),
        gauge("rowferry_api_ceiling", "The ceilings; 0: no ceiling.", limits[scope][what], labels),
      ];
    }),
  );
}
