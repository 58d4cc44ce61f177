import { expect, test } from "vitest";
import { createFlight, small } from "./flight.ts";

const busy = expect.objectContaining({ code: "busy", retryAfter: 2 });
const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
};

test("one who does not read is refused more, another is not, until all of them together are too much", () => {
  const flight = createFlight({ most: 500_000, mostOfOne: 200_000 });
  const giveBack = flight.take("ann", 150_000);
  expect(thrownBy(() => flight.take("ann", 100_000))).toEqual(busy);
  flight.take("bob", 150_000);
  flight.take("cat", 150_000);
  expect(thrownBy(() => flight.take("dan", 100_000))).toEqual(busy);
  giveBack();
  giveBack();
  expect(flight.bytes()).toBe(300_000);
  flight.take("dan", 100_000);
  expect(flight.bytes()).toBe(400_000);
});

test("a small answer counts nothing, and one that is larger than all that may be goes alone", () => {
  const flight = createFlight({ most: 100_000, mostOfOne: 50_000 });
  flight.take("ann", small);
  expect(flight.bytes()).toBe(0);
  const giveBack = flight.take("ann", 1_000_000);
  expect(thrownBy(() => flight.take("bob", 20_000))).toEqual(busy);
  giveBack();
  expect(flight.bytes()).toBe(0);
  flight.take("bob", 20_000);
});
