import { describe, expect, test } from "vitest";
import { createNames, fileLength } from "./names.ts";

const given = (options: Parameters<typeof createNames>[1], ...wanted: string[]): string[] => {
  const names = createNames([], options);
  return wanted.map((name) => names.take(name, `of ${name}`).replace(/_[0-9a-f]{8}$/, "_#"));
};

describe("names for MySQL", () => {
  test.each<[string, Parameters<typeof createNames>[1], string[], string[]]>([
    ["keeps what is good", {}, ["a", "é", "select", "a`b", " a"], ["a", "é", "select", "a`b", " a"]],
    ["tells apart what differs by case alone", {}, ["A", "a"], ["A", "a_#"]],
    [
      "as every server folds",
      {},
      ["İ", "i", "ſ", "S", "Σ", "ς", "K", "k"],
      ["İ", "i_#", "ſ", "S_#", "Σ", "ς_#", "K", "k_#"],
    ],
    ["keeps accents of columns", {}, ["e", "é", "ß", "ss"], ["e", "é", "ß", "ss_#"]],
    ["folds accents of constraints", { accents: true }, ["e", "é", "ß", "s"], ["e", "é_#", "ß", "s_#"]],
    ["keeps case where the server does", { exact: true, file: true }, ["A", "a", "A"], ["A", "a", "A_#"]],
    ["has tables in lower case where the server has", { file: true }, ["Tab", "tab"], ["tab", "tab_#"]],
    ["fixes what no name may hold", {}, ["😀", "a ", "a\n", ""], ["__#", "a__#", "a__#", "_#"]],
    ["cuts to 64 characters", {}, ["n".repeat(65)], [`${"n".repeat(55)}_#`]],
    ["keeps 64 of them", {}, ["漢".repeat(64)], ["漢".repeat(64)]],
    [
      "cuts tables to what a file may be called",
      { file: true, exact: true },
      ["漢".repeat(63)],
      [`${"漢".repeat(34)}_#`],
    ],
  ])("%s", (_, options, wanted, expected) => {
    expect(given(options, ...wanted)).toEqual(expected);
  });

  test("the same name and identity give the same suffix, another identity another", () => {
    const twice = () => createNames(["a"]).take("a", "x");
    expect(twice()).toBe(twice());
    expect(createNames(["a"]).take("a", "y")).not.toBe(twice());
  });

  test("a file's name takes five bytes for what is no letter or digit", () => {
    expect(fileLength("a_1$漢")).toBe(13);
  });
});
