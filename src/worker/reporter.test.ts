import { expect, it } from "vitest";
import type { OperatorResponse } from "./operator-client.ts";
import type { Report } from "./protocol.ts";
import { startReporter } from "./reporter.ts";

const ok: OperatorResponse<null> = { kind: "ok", body: null };

/** A reporter in fast motion (a second is 10 ms), with what it sent and said. */
function play(answers: OperatorResponse<null>[]) {
  const sent: { size: number | undefined; at: number }[] = [];
  const said: string[] = [];
  let size = 0;
  let waiting = () => {};
  const reporter = startReporter({
    state: (): Report => ({ size, log: [] }),
    async send(report) {
      sent.push({ size: report.size, at: performance.now() });
      waiting();
      return answers.shift() ?? ok;
    },
    superseded: () => said.push("superseded"),
    reachable: (reached, why) => said.push(reached ? "reached" : `not reached: ${why}`),
    refused: (why) => said.push(`refused: ${why}`),
    random: () => 1,
    leastMs: 10,
    mostMs: 40,
    heartbeatMs: 150,
  });
  const change = () => {
    size += 1;
    reporter.changed();
  };
  const sentAtLeast = async (count: number) => {
    while (sent.length < count) await new Promise<void>((resolve) => (waiting = resolve));
  };
  return { sent, said, change, reporter, sentAtLeast };
}

it("sends the latest state, and no more often than the least interval", async () => {
  const { sent, change, reporter, sentAtLeast } = play([]);
  for (let i = 0; i < 1000; i += 1) change();
  await sentAtLeast(2);
  await reporter.stop();
  expect(sent.length).toBe(2);
  expect(sent[1]?.size).toBe(1000);
  expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0)).toBeGreaterThanOrEqual(9);
});

it("sends a heartbeat when nothing changes", async () => {
  const { sent, reporter, sentAtLeast } = play([]);
  await sentAtLeast(2);
  await reporter.stop();
  expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0)).toBeGreaterThanOrEqual(100);
});

it("goes on while the operator is not reached, waits longer, and says so once", async () => {
  const away: OperatorResponse<null> = { kind: "unreachable", why: "refused" };
  const { sent, said, reporter, sentAtLeast } = play([away, away, away, ok]);
  await sentAtLeast(5);
  await reporter.stop();
  expect(said).toEqual(["not reached: refused", "reached"]);
  // At least: a busy machine may delay any of them, but shortens none.
  for (const [at, least] of [10, 20, 40].entries())
    expect((sent[at + 1]?.at ?? 0) - (sent[at]?.at ?? 0)).toBeGreaterThanOrEqual(least - 1);
});

it("says when it is superseded, and sends nothing more", async () => {
  const { sent, said, change, reporter } = play([{ kind: "superseded" }]);
  change();
  await reporter.stop();
  change();
  expect(said).toEqual(["superseded"]);
  expect(sent.length).toBe(1);
});

it("says once that its report is refused", async () => {
  const no: OperatorResponse<null> = { kind: "refused", why: "too long" };
  const { said, change, reporter, sentAtLeast } = play([no, no, no]);
  change();
  await sentAtLeast(2);
  change();
  await sentAtLeast(3);
  await reporter.stop();
  expect(said).toEqual(["refused: too long"]);
});
