import { afterAll, beforeAll, test } from "vitest";
import { endPlaces, expectEqual, type Kind, type Place, place, startPlaces } from "../support/engine/verify-places.ts";
import { chinook, pagila, sakilaIn } from "./scripts.ts";

/** `verify` alone after copies of the public sample databases in every direction. */

beforeAll(startPlaces);
afterAll(endPlaces);

const samples = {
  async sakila(to: Place) {
    await to.run("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
    for (const statement of sakilaIn(to.endpoint.database)) await to.run(statement);
  },
  async chinook(to: Place) {
    if (to.endpoint.engine === "postgres") return to.run(chinook("postgres"));
    // Its names hold single backslashes, which are meant.
    await to.run("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
    await to.run(chinook("mysql"));
    return to.run("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
  },
  pagila: (to: Place) => to.run(pagila()),
};

test.each<[keyof typeof samples, Kind, Kind[]]>([
  ["sakila", "mysql", ["postgres", "mariadb"]],
  ["sakila", "mariadb", ["postgres", "mysql"]],
  ["chinook", "mysql", ["postgres", "mariadb"]],
  ["chinook", "mariadb", ["postgres"]],
  ["chinook", "postgres", ["mysql", "mariadb", "postgres"]],
  ["pagila", "postgres", ["mysql", "mariadb", "postgres"]],
])("%s of %s is equal after copies into %s", async (sample, from, targets) => {
  const source = await place(from);
  await samples[sample](source);
  for (const kind of targets) await expectEqual(source, kind);
});
