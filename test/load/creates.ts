import { createCaller } from "../api/http.ts";
import { startApi } from "../api/start.ts";
import { startPlace } from "../billing/place.ts";
import { percentile } from "./judge.ts";

/** Times of creates with billing on, beside a replica of the same cluster with billing off. */

const rounds = 200;

/** One line for each kind of create, with its ratio to the one without billing. Times are in milliseconds. */
export async function measureCreates(say: (line: string) => void): Promise<string[]> {
  const place = await startPlace({ api: { ROWFERRY_MOST_UNPAID: "1000" } });
  const { place: where } = place.installation;
  const free = await startApi(where);
  const off = createCaller(where.folder, free.port);
  try {
    const [pays, pro] = [await place.paying(), await place.signUp()];
    await place.setPlan(pro, "pro");
    const quote = await place.ask("/api/estimates", { token: pays.token, body: place.body() });
    const paid = { ...place.body(), estimate_id: quote.body.estimate_id };
    const kinds = {
      off: () => off.ask("/api/migrations", { token: pays.token, body: place.body() }),
      pro: () => place.create(pro),
      hold: () => place.create(pays, { body: paid }),
    };
    const times: Record<keyof typeof kinds, number[]> = { off: [], pro: [], hold: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const [kind, create] of Object.entries(kinds)) {
        const startedAt = performance.now();
        const { status, text } = await create();
        if (status !== 201) throw new Error(`${kind}: ${status} ${text}`);
        times[kind as keyof typeof kinds].push(performance.now() - startedAt);
      }
      if (round % 50 === 49) say(`${round + 1} creates of each kind`);
    }
    const at = (kind: keyof typeof kinds, share: number) =>
      percentile(
        times[kind].toSorted((a, b) => a - b),
        share,
      );
    return (["off", "pro", "hold"] as const).map((kind) => {
      const [p50, p99] = [at(kind, 0.5), at(kind, 0.99)];
      const ratio = (p99 / at("off", 0.99)).toFixed(2);
      return `create, billing ${kind}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${ratio} of off`;
    });
  } finally {
    off.close();
    await free.stop();
    await place.stop();
  }
}
