import { expect, it } from "vitest";
import { messageWithFlags } from "./messages.ts";

it.each([
  ["drop them, name them in options.drop, or", "drop them, name them in --drop, or"],
  ["as options.types says", "as --types says"],
  ["set options.zero_dates to null", "set --zero-dates to null"],
  ["leave it out with options.exclude.", "leave it out with --exclude."],
  ["options.content is data", "--content is data"],
])("an option is called by its flag: %s", (engine, here) => {
  expect(messageWithFlags(engine)).toBe(here);
});

it.each([
  "table options.drop is in the way",
  'the table "options.drop" is there',
  "shop.options.drop is there",
  "column options.types.id is wide",
  "options.nothing",
])("a name from a database stays: %s", (words) => {
  expect(messageWithFlags(words)).toBe(words);
});
