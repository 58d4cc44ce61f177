import { describe, expect, it } from "vitest";
import { bare, call, places } from "../../test/support/cli/call.ts";

describe("a command line that cannot be followed ends with 2 before anything is opened", () => {
  it.each<[string, string[], string]>([
    ["no command", [], "a command is missing; the commands are copy, assess, verify, reset"],
    ["a mistyped command", ["copi"], 'unknown command "copi"; did you mean copy?'],
    ["another tool's word for a command", ["diff", ...places], 'unknown command "diff"; did you mean verify?'],
    ["a command like nothing here", ["constructor"], 'unknown command "constructor"; the commands are copy,'],
    ["completion without a shell", ["completion"], "completion takes the name of a shell: bash, zsh, fish"],
    ["completion of an unknown shell", ["completion", "tcsh"], "completion takes the name of a shell: bash, zsh, fish"],
    [
      "a word that is missing",
      ["copy", "mysql://a@b/c"],
      "copy takes SOURCE and TARGET, two URLs such as mysql://user@host/database; TARGET is missing",
    ],
    [
      "a flag that is not there",
      ["copy", ...places, "--inclde", "x"],
      "copy has no flag --inclde; did you mean --include?",
    ],
    ["a flag of another command", ["reset", "postgres://a@b/c", "--include", "x"], "reset has no flag --include"],
    ["an unknown short flag", ["copy", ...places, "-q"], "copy has no flag -q"],
    [
      "the copy's flag in a comparison",
      ["verify", ...places, "--verify", "counts"],
      "verify has no flag --verify; did you mean --level?",
    ],
    [
      "a comparison's level that is none",
      ["verify", ...places, "--level", "rows"],
      '--level is counts or checksum, not "rows"',
    ],
    ["a value that is missing", ["copy", ...places, "--include"], "--include needs a value: --include PATTERN"],
    ["a number that is too large", ["copy", ...places, "--jobs", "99"], "--jobs is a whole number from 1 to 16"],
    ["a number that is none", ["copy", ...places, "--jobs", "two"], "--jobs is a whole number from 1 to 16"],
    ["none of the choices", ["copy", ...places, "--content", "rows"], "--content is all, schema or data"],
    [
      "a date that is none",
      ["copy", ...places, "--zero-dates", "2026-13-01"],
      "--zero-dates is null, fail or a date such as 1970-01-01",
    ],
    [
      "a type without a column",
      ["copy", ...places, "--types", "amount=text"],
      "--types: write a column as table.column",
    ],
    ["a type of nothing", ["copy", ...places, "--types", "a=text"], "--types (a): write a column as table.column"],
    ["no type", ["copy", ...places, "--types", "a.b="], "--types (a.b): gives a column no type"],
    ["a report of another form", ["copy", ...places, "--report", "x.pdf"], "a report is JSON (.json), a page (.html)"],
    [
      "a pair without =",
      ["copy", ...places, "--schemas", "shop"],
      '--schemas takes FROM=TO, with = between the two names; "shop" has none',
    ],
    ["an amount that is none", ["copy", ...places, "--bandwidth", "fast"], "is a number of bytes such as"],
    ["a URL that is none", ["copy", "shop", bare[1] ?? ""], "the source's connection URL is not accepted"],
    ["a path in a URL", ["copy", `${bare[0]}?ssl-ca=/x`, bare[1] ?? ""], "ssl-ca is refused"],
    ["a password given twice", ["copy", ...places, "--source-password-file", "/dev/null"], "given twice"],
    [
      "a password's file that is not there",
      ["copy", ...bare, "--source-password-file", "/nowhere"],
      "cannot be read: the file does not exist",
    ],
    [
      "a CA that is not there",
      ["copy", ...places, "--source-ca", "/nowhere/ca.pem"],
      "cannot be read: the file does not exist",
    ],
    ["a CA that is none", ["copy", ...places, "--source-ca", "package.json"], "--source-ca: a CA is PEM"],
    ["a report that cannot be written", ["copy", ...places, "--report", "/nowhere/r.json"], "cannot be written"],
    ["a way to show progress that is none", ["copy", ...places, "--progress", "loud"], "--progress is one of"],
    ["a run's name that is none", ["copy", ...places, "--run", "a b"], "--run is a name"],
  ])("%s", async (_name, words, said) => {
    const { code, stdout, stderr, request } = await call(words);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).not.toContain("s3cret-in-url");
    expect(request).toBeUndefined();
  });

  it("also as JSON", async () => {
    const { code, stdout } = await call(["copy", ...places, "--jobs", "0", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ command: "copy", outcome: "failed", error: { code: "usage" } });
  });
});
