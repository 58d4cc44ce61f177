import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

/**
 * `npm run audit`: what is known today of vulnerabilities in the dependencies, by severity and package. It informs
 * and always exits with 0: another day's news must not fail a build. Offline it says that nothing was checked.
 */
interface Report {
  vulnerabilities?: Record<
    string,
    { severity: string; isDirect: boolean; range: string; via: (string | { title: string; url: string })[] }
  >;
  metadata?: { dependencies: { total: number } };
  message?: string;
  error?: { summary?: string };
}

function audit(): Report | undefined {
  const npm = spawnSync("npm", ["audit", "--json", "--fetch-retries=0", "--fetch-timeout=20000"], {
    cwd: resolve(import.meta.dirname, ".."),
    encoding: "utf8",
    timeout: 60_000,
  });
  try {
    return JSON.parse(npm.stdout) as Report;
  } catch {
    return undefined;
  }
}

const report = audit();
if (report?.vulnerabilities === undefined) {
  const why = report?.message ?? report?.error?.summary ?? "npm gave no answer";
  console.log(`not checked: the registry's list of vulnerabilities cannot be read from here (${why.split("\n")[0]})`);
} else {
  const found = Object.entries(report.vulnerabilities);
  console.log(`${found.length} of ${report.metadata?.dependencies.total ?? "?"} packages have a known vulnerability`);
  for (const [name, { severity, isDirect, range, via }] of found) {
    const titles = via.map((cause) => (typeof cause === "string" ? `by ${cause}` : `${cause.title} ${cause.url}`));
    console.log(`${severity.padEnd(9)} ${name} ${range}${isDirect ? "" : " (indirect)"}: ${titles.join("; ")}`);
  }
}
