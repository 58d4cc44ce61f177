import { expect, test } from "vitest";
import { EngineError } from "../../contract/index.ts";
import { endAll, ownSession } from "./succession.ts";

const lost = () => new EngineError("connection_lost", "lost");

function numbered(refused: readonly number[] = []) {
  const ended: number[] = [];
  let opened = 0;
  const one = (number: number) => ({ number, end: async () => void ended.push(number) });
  const open = async () => {
    opened++;
    if (refused.includes(opened)) throw lost();
    return one(opened);
  };
  return { ended, own: ownSession(one(0), open) };
}

test("work on a lost session is done again on another one, once, and any other error is its answer", async () => {
  const { own, ended } = numbered();
  const used: number[] = [];
  await own.use(async ({ number }) => {
    used.push(number);
    if (number === 0) throw lost();
  });
  expect([used, ended]).toEqual([[0, 1], [0]]);
  const refused = new EngineError("superseded", "taken over");
  await expect(own.use(() => Promise.reject(refused))).rejects.toBe(refused);
  expect(own.current()?.number).toBe(1);
});

test("a lost session is not used again where opening another one failed", async () => {
  const { own, ended } = numbered([1]);
  await expect(own.use(() => Promise.reject(lost()))).rejects.toMatchObject({ code: "connection_lost" });
  expect(await own.use(async ({ number }) => number)).toBe(2);
  await own.close();
  expect(ended).toEqual([0, 2]);
});

test("sessions of a predecessor that do not end are an error with the reason", async () => {
  let left = 2;
  await endAll(async () => ({ left: left-- }));
  const why = new Error("no right to KILL");
  await expect(endAll(async () => ({ left: 1, why }), 0)).rejects.toMatchObject({
    code: "predecessor_alive",
    retryable: true,
    cause: why,
  });
});
