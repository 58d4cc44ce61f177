import { expect, test, vi } from "vitest";
import { lock } from "../lock.mjs";
import { placeOf } from "./place.ts";
import { withLock } from "./with-lock.ts";

test("a command that waits long for another one names it, once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const place = placeOf("locked", import.meta.filename);
    const release = await lock(place.folder);
    const lines: string[] = [];
    const worked = withLock(place, { terminal: { line: (text = "") => lines.push(text) } }, async () => lines.length);
    await vi.waitUntil(() => vi.getTimerCount() === 1, { timeout: 10_000 });
    expect(lines).toEqual([]);
    // The holder's name comes by a socket.
    await vi.waitUntil(
      () => {
        vi.advanceTimersByTime(10);
        return lines.length > 0;
      },
      { interval: 5, timeout: 10_000 },
    );
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}Waiting for `.+` \(process \d+\), which starts or removes cluster "locked"$/),
    ]);
    await release();
    expect(await worked).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test("a short wait has no line", async () => {
  const place = placeOf("locked", import.meta.filename);
  const release = await lock(place.folder);
  const lines: string[] = [];
  const worked = withLock(place, { terminal: { line: (text = "") => lines.push(text) } }, async () => "worked");
  await release();
  expect([await worked, lines]).toEqual(["worked", []]);
});
