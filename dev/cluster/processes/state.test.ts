import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Place, placeOf } from "../place.ts";
import { hasState, readState, type State, writeState } from "./state.ts";

let place: Place;

beforeEach(() => {
  place = { ...placeOf("dev"), folder: join(mkdtempSync(join(tmpdir(), "rowferry-state-")), "cluster") };
});

afterEach(() => rmSync(join(place.folder, ".."), { recursive: true, force: true }));

const state: State = { clone: "/a", name: "dev", processes: [], run: "/r", nodePorts: {}, settled: {}, ready: true };

test("the state is read as it was written, and is its account's alone", () => {
  expect(readState(place)).toBeNull();
  writeState(place, state);
  expect(readState(place)).toEqual(state);
  expect(statSync(join(place.folder, "processes.json")).mode & 0o777).toBe(0o600);
  expect(statSync(place.folder).mode & 0o777).toBe(0o700);
});

test.each(["", '{"clone":"/a","proc', "null", "{}", '{"processes":[]}'])(
  "a state file with %o is one of a cluster of which nothing is known",
  (text) => {
    mkdirSync(place.folder);
    writeFileSync(join(place.folder, "processes.json"), text);
    expect(hasState(place)).toBe(true);
    expect(readState(place)).toBeNull();
  },
);
