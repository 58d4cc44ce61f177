import { expect, test } from "vitest";
import type { Session } from "./connection.ts";
import { meaningSettings, occupy, optionsFor, pin } from "./settings.ts";

/** A session that answers each query with these rows. */
const answering = (rows: readonly object[]): Session =>
  ({
    version: 180_000,
    place: { role: "source" },
    run: async () => undefined,
    query: async () => rows,
  }) as unknown as Session;

const kept = Object.fromEntries(
  [...meaningSettings.map(([, value]) => value), "", "off"].map((value, at) => [`s${at}`, value]),
);

test("a session whose settings are kept is pinned, and one whose are not is refused with their names", async () => {
  const backend = { pid: 7, begun: "now" };
  await expect(pin(answering([{ ...kept, pid: 7, started: "now" }]), 0)).resolves.toEqual(backend);
  const at = meaningSettings.findIndex(([name]) => name === "array_nulls");
  await expect(pin(answering([{ ...kept, [`s${at}`]: "off" }]), 0)).rejects.toMatchObject({
    code: "setting_not_kept",
    message: expect.stringContaining("array_nulls is 'off'"),
  });
});

test("another program gets the settings that the database has otherwise, and no options where all are right", async () => {
  const rows = meaningSettings.map(([name, value]) => ({ name, value }));
  expect(await optionsFor(answering(rows))).toEqual({});
  const other = [
    { name: "standard_conforming_strings", value: "off" },
    { name: "array_nulls", value: "off" },
    // pg_dump sets it itself.
    { name: "DateStyle", value: "German, DMY" },
    { name: "TimeZone", value: "Etc/UTC" },
  ];
  expect(await optionsFor(answering(other))).toEqual({
    PGOPTIONS: "-c standard_conforming_strings=on -c array_nulls=on",
  });
});

test("two sessions with one process of the server are refused, one after the other is not", () => {
  const endpoint = { host: "db.example.com", port: 5432 } as Session["place"]["endpoint"];
  const place = { role: "source", endpoint } as const;
  const leave = occupy(place, { pid: 7, begun: "now" });
  expect(() => occupy(place, { pid: 7, begun: "now" })).toThrow(expect.objectContaining({ code: "setting_not_kept" }));
  occupy(place, { pid: 7, begun: "later" })();
  leave();
  occupy(place, { pid: 7, begun: "now" })();
});
