import { expect, test } from "vitest";
import { createLeaving } from "./leaving.ts";

test("Connections are told to go one after the other, in the order of their draws, and none before the end begins", () => {
  let time = 0;
  const draws = [0, 0.5, 1];
  const leaving = createLeaving({ drain: 1000, now: () => time, random: () => draws.shift() ?? 0 });
  const connections = [{}, {}, {}];
  const due = () => connections.map((one) => leaving.isDue(one));
  expect(due()).toEqual([false, false, false]);
  time = 5000;
  leaving.begin();
  const seen = [0, 200, 550, 899, 900].map((after) => {
    time = 5000 + after;
    return due();
  });
  expect(seen).toEqual([
    [false, false, false],
    [true, false, false],
    [true, true, false],
    [true, true, false],
    [true, true, true],
  ]);
});

test("An end that was begun is not begun anew", () => {
  let time = 0;
  const leaving = createLeaving({ drain: 100, now: () => time, random: () => 0 });
  leaving.begin();
  time = 20;
  leaving.begin();
  expect(leaving.isDue({})).toBe(true);
});
