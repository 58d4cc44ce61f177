import type { ApiRequest, Connection } from "../../../src/cluster/connection.ts";
import { ClusterError } from "../../../src/cluster/errors.ts";
import { type Informer, startInformer } from "../../../src/cluster/informer.ts";
import { type KubeObject, kinds } from "../../../src/resources/objects.ts";

/** A server whose lists and watches the test plays. */
export function server() {
  let objects: KubeObject[] = [];
  let version = 1;
  const watches: { push(event: unknown): void; fail(error: unknown): void; end(): void; request: ApiRequest }[] = [];
  const lists: ApiRequest[] = [];
  let failLists = 0;
  let refusal: ClusterError | undefined;
  const connection: Connection = {
    async send<T>(request: ApiRequest) {
      lists.push(request);
      if (failLists > 0) {
        failLists -= 1;
        throw new ClusterError("Unreachable", 0, "down");
      }
      return { items: objects, metadata: { resourceVersion: String(version) } } as T;
    },
    async *lines(request, opened) {
      const waiting: { event?: unknown; error?: unknown; end?: boolean }[] = [];
      let wake = () => {};
      const put = (item: (typeof waiting)[number]) => {
        waiting.push(item);
        wake();
      };
      watches.push({
        request,
        push: (event) => put({ event }),
        fail: (error) => put({ error }),
        end: () => put({ end: true }),
      });
      request.signal?.addEventListener("abort", () => put({ error: request.signal?.reason }));
      if (refusal !== undefined) throw refusal;
      opened?.();
      for (;;) {
        const item = waiting.shift();
        if (item === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        if (item.error !== undefined) throw item.error;
        if (item.end) return;
        yield item.event;
      }
    },
    close() {},
  };
  return {
    connection,
    watches,
    lists,
    set(next: KubeObject[]) {
      objects = next;
      version += 1;
    },
    failLists(count: number) {
      failLists = count;
    },
    refuseWatches(error: ClusterError | undefined) {
      refusal = error;
    },
  };
}

export const object = (name: string, uid: string, resourceVersion: string): KubeObject => ({
  metadata: { name, namespace: "n", uid, resourceVersion },
});

const stops: AbortController[] = [];
/** Ends all that were started. */
export const stopAll = (): void => {
  for (const stop of stops.splice(0)) stop.abort();
};

export function start(
  play: ReturnType<typeof server>,
  options: Partial<Parameters<typeof startInformer<KubeObject>>[1]> = {},
) {
  const stop = new AbortController();
  stops.push(stop);
  const said: string[] = [];
  const problems: unknown[] = [];
  const informer: Informer<KubeObject> = startInformer(play.connection, {
    kind: kinds.jobs,
    resync: 60_000,
    changed: (before, after) => said.push(`${before?.metadata.uid ?? "-"}>${after?.metadata.uid ?? "-"}`),
    now: () => performance.now(),
    random: () => 0,
    signal: stop.signal,
    problem: (error) => problems.push(error),
    ...options,
  });
  return { informer, said, problems, stop };
}

export const until = async (what: string, holds: () => boolean) => {
  const deadline = performance.now() + 4000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
