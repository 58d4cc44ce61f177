import { constants } from "node:fs";
import { access, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import type { CopyReport, MadeObject } from "../engine/contract.ts";
import { reportPage } from "../engine/report/page.ts";
import { readReport } from "../engine/report/schema.ts";
import { reportMarkdown } from "../engine/report/text.ts";
import { UsageError } from "./exit.ts";
import { jsonText } from "./io.ts";

/** Reports as files: JSON, a page or Markdown, as the name ends. */

export interface ReportFiles {
  /** Of `--report`: the form follows from the name. */
  reports: readonly string[];
  /** Of `--page`: HTML, whatever the name. */
  pages: readonly string[];
}

/** Before anything is copied: a report that could not be written would cost its list of what was made. Errors: UsageError. */
export async function checkWritable({ reports, pages }: ReportFiles): Promise<void> {
  for (const path of [...reports, ...pages]) {
    const there = await access(path, constants.F_OK).then(
      () => true,
      () => false,
    );
    await access(there ? path : dirname(path), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`the report cannot be written to ${path}: ${error.code}`);
    });
  }
}

export async function writeReports(report: CopyReport, title: string, { reports, pages }: ReportFiles): Promise<void> {
  for (const path of reports) await write(path, textOf(path, report, title));
  for (const path of pages) await write(path, reportPage(report, title));
}

function textOf(path: string, report: CopyReport, title: string): string {
  switch (extname(path).toLowerCase()) {
    case ".html":
    case ".htm":
      return reportPage(report, title);
    case ".md":
      return reportMarkdown(report, title);
    default:
      return jsonText(report, 2);
  }
}

/** Whole or not at all: an older report is replaced only once the new one is written. */
async function write(path: string, text: string): Promise<void> {
  if (path === "/dev/stdout" || path === "/dev/stderr") return writeFile(path, text);
  const beside = `${path}.${process.pid}.part`;
  await writeFile(beside, text, { mode: 0o644 });
  await rename(beside, path);
}

/** What a completed run made, from its report as JSON. Errors: UsageError. */
export async function readMade(path: string): Promise<MadeObject[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`the report ${path} cannot be read: ${error.code}`);
  });
  const report = readReport(text);
  if (report === undefined)
    throw new UsageError(`${path} is not a report of Rowferry as JSON, as --report FILE.json and --json write it`);
  return report.made;
}
