import { expect, it } from "vitest";
import { optionsSchema } from "../../resources/options.ts";
import { commands, flagsOf } from "../command.ts";
import { widthOf } from "../terminal/bars.ts";
import { coloursFor } from "../terminal/colours.ts";
import { commandHelp, flagGroups, generalHelp, groupsOf } from "./help.ts";

it.each(commands.map((command) => [command.name, command] as const))(
  "every flag of %s is in one group",
  (_name, command) => {
    const shown = groupsOf(command).flatMap(([, flags]) => flags.map(({ name }) => name));
    expect(shown.toSorted()).toEqual([...flagsOf(command).map(({ name }) => name), "help"].sort());
  },
);

it("no group names a flag that no command has", () => {
  const known = new Set(commands.flatMap((command) => flagsOf(command).map(({ name }) => name)));
  expect(flagGroups.flatMap(([, names]) => names).filter((name) => !known.has(name))).toEqual([]);
});

it("a short flag means one thing in all commands, and is shown beside the long one", () => {
  const all = new Map<string, string>();
  for (const command of commands)
    for (const { short, name } of flagsOf(command)) {
      if (short === undefined) continue;
      expect(all.get(short) ?? name, short).toBe(name);
      all.set(short, name);
      expect(commandHelp(command, 100)).toContain(`  -${short}, --${name}`);
    }
  expect(all.has("h")).toBe(false);
  expect(all.size).toBeGreaterThanOrEqual(6);
});

it("no line of help is wider than the terminal but for examples, and colours add no width", () => {
  const colours = coloursFor({ isTTY: true }, { TERM: "xterm" });
  for (const columns of [60, 80, 120])
    for (const text of [
      generalHelp(columns),
      ...commands.map((command) => commandHelp(command, columns).replace(/Examples:[\s\S]*?Exit/, "")),
    ])
      for (const line of text.split("\n")) expect(widthOf(line), line).toBeLessThan(columns + 1);
  const bare = (text: string) => text.replace(/\u001b\[\d+m/g, "");
  expect(generalHelp(80, colours)).not.toBe(generalHelp(80));
  expect(bare(generalHelp(80, colours))).toBe(generalHelp(80));
});

it("the help names flags as flags, and not as the options of a Migration", () => {
  const text = commands.map((command) => commandHelp(command, 100)).join("\n");
  expect(text).toContain("written as in --include");
  expect(text.replace(/\s+/g, " ")).toContain("(with --content data: empty)");
  expect(Object.keys(optionsSchema.shape).filter((name) => text.includes(`\`${name}\``))).toEqual([]);
});
