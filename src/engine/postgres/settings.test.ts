import { expect, test } from "vitest";
import type { Session } from "./connection.ts";
import { meaning, optionsFor, pin } from "./settings.ts";

/** A session that answers each query with these rows. */
const answering = (rows: readonly object[]): Session =>
  ({
    version: 180_000,
    place: { role: "source" },
    run: async () => undefined,
    query: async () => rows,
  }) as unknown as Session;

const kept = Object.fromEntries(
  [...meaning.map(([, value]) => value), "", "off"].map((value, at) => [`s${at}`, value]),
);

test("a session whose settings are kept is pinned, and one whose are not is refused with their names", async () => {
  await expect(pin(answering([kept]), 0)).resolves.toBeUndefined();
  const at = meaning.findIndex(([name]) => name === "array_nulls");
  await expect(pin(answering([{ ...kept, [`s${at}`]: "off" }]), 0)).rejects.toMatchObject({
    code: "setting_not_kept",
    message: expect.stringContaining("array_nulls is 'off'"),
  });
});

test("another program gets the settings that the database has otherwise, and no options where all are right", async () => {
  const rows = meaning.map(([name, value]) => ({ name, value }));
  expect(await optionsFor(answering(rows))).toEqual({});
  const other = [
    { name: "standard_conforming_strings", value: "off" },
    { name: "DateStyle", value: "German, DMY" },
  ];
  expect(await optionsFor(answering(other))).toEqual({
    PGOPTIONS: "-c standard_conforming_strings=on -c DateStyle=ISO,\\ YMD",
  });
});
