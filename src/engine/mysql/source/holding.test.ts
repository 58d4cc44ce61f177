import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noteReply, withReplyListener } from "../../run/watchdog/replies.ts";
import type { Session } from "../driver/session.ts";
import { watchWaiting } from "./holding.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("its own questions, asked as long as a run takes, are no sign that the run moves", async () => {
  let asked = 0;
  const control = {
    async query() {
      asked++;
      noteReply();
      return [];
    },
  } as Pick<Session, "query"> as Session;
  const heard = vi.fn();
  const stop = withReplyListener(heard, () =>
    watchWaiting(control, { database: "shop", blockingTimeout: 60, readers: [], locked: false }, () => undefined),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  stop();
  expect(asked).toBeGreaterThan(5);
  expect(heard).not.toHaveBeenCalled();
});
