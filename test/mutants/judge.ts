/** Reads vitest's JSON report of a run in which tests were chosen by name. */

interface Report {
  testResults: { name: string; message?: string; assertionResults: Result[] }[];
}
interface Result {
  ancestorTitles: string[];
  title: string;
  status: string;
  failureMessages?: string[];
}

export interface Named {
  file: string;
  name: string;
}

/** How a test ended: by an assertion, by something else with its first words, or not at all. */
export type Ending = "passed" | "assertion" | { otherwise: string };

/** How the test ended, if it alone of its name ran and no other test failed. `report` is undefined when the runner wrote none. */
export function endingOf(report: string | undefined, test: Named): Ending {
  const files = parse(report)?.testResults;
  if (files === undefined) return { otherwise: "vitest wrote no readable report" };
  const file = files.find(({ name }) => name.endsWith(`/${test.file}`));
  if (file === undefined) return { otherwise: `${test.file} was not run` };
  const named = file.assertionResults.filter((result) => nameOf(result) === test.name && result.status !== "skipped");
  const [result] = named;
  if (result === undefined) return { otherwise: `no test of this name was run: ${firstLine(file.message)}` };
  if (named.length > 1) return { otherwise: `${named.length} tests have this name` };
  const others = file.assertionResults.filter((other) => other !== result && other.status === "failed");
  if (others[0] !== undefined) return { otherwise: `another test failed: ${nameOf(others[0])}` };
  if (result.status === "passed") return "passed";
  const [said = ""] = result.failureMessages ?? [];
  return isAssertion(said) ? "assertion" : { otherwise: firstLine(said) };
}

/** What `expect(…).rejects` and `resolves` throw is a plain Error, whose stack begins where vitest made it. */
const isAssertion = (said: string): boolean =>
  said.startsWith("AssertionError") ||
  /^Error: promise (resolved|rejected) ".*" instead of (rejecting|resolving)/s.test(said) ||
  /^Error: expected .*?\n {4}at \S*__VITEST_(REJECTS|RESOLVES)__ /s.test(said);

const nameOf = ({ ancestorTitles, title }: Result): string => [...ancestorTitles, title].join(" > ");

const firstLine = (text = ""): string => text.split("\n")[0] || "no message";

function parse(text: string | undefined): Report | undefined {
  try {
    const report = JSON.parse(text ?? "") as Report;
    return Array.isArray(report.testResults) ? report : undefined;
  } catch {
    return undefined;
  }
}
