import { expect, expectTypeOf, it } from "vitest";
import type { CopyOptions } from "../../engine/contract/index.ts";
import { type Options, optionsSchema } from "../../resources/options.ts";
import { commands, flagsOf } from "../command.ts";
import { flagName, optionFlags, readOptions } from "./index.ts";

/** The compiler refuses this table if it lacks a name, or has one more. */
const ofEngine: Record<keyof CopyOptions, true> = {
  jobs: true,
  include: true,
  exclude: true,
  schemas: true,
  content: true,
  drop: true,
  verify: true,
  bandwidth: true,
  definers: true,
  zero_dates: true,
  types: true,
  statement_timeout: true,
  source_locks: true,
  on_object_error: true,
  blocking_timeout: true,
  stall_timeout: true,
};

it("the Migration's options are the engine's, all of them, and the two CAs", () => {
  const names = [...Object.keys(ofEngine), "source_ca", "target_ca"];
  expect(Object.keys(optionsSchema.shape).sort()).toEqual(names.sort());
  expectTypeOf<Options>().toExtend<CopyOptions>();
});

it("every option has a flag with words of its own", () => {
  expect(optionFlags.map(({ name }) => name)).toEqual(Object.keys(optionsSchema.shape).map(flagName));
  for (const { name, help } of optionFlags) {
    expect(help, name).toMatch(/\.$/);
    expect(help, name).not.toContain("Secret");
  }
});

it("no command has two flags of one name, and each option that a command names is there", () => {
  for (const command of commands) {
    const names = flagsOf(command).map(({ name }) => name);
    expect(new Set(names).size, command.name).toBe(names.length);
    for (const option of command.options) expect(names).toContain(option);
  }
});

it("nothing given is the defaults", () => {
  expect(readOptions({})).toEqual({ options: optionsSchema.parse({}), ca: { source: undefined, target: undefined } });
});
