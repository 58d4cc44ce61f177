import { constants } from "node:fs";
import { access, lstat, open, readFile, readlink, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import type { CopyReport } from "../engine/contract/index.ts";
import { reportPage } from "../engine/report/page.ts";
import { readReport } from "../engine/report/schema.ts";
import { reportMarkdown } from "../engine/report/text.ts";
import { fileMessage, UsageError } from "./exit.ts";
import { type Io, jsonText, printed } from "./io.ts";

/** Reports as files: JSON, a page or Markdown, as the name ends. */

interface ReportFiles {
  /** Of `--report`: the form follows from the name. */
  reports: readonly string[];
  /** Of `--page`: HTML, whatever the name. */
  pages: readonly string[];
}

/** Where the reports of a run go, found and opened before anything is copied. */
export interface Reports {
  /** Writes each, also after one that failed. Answers with those that could not be written, and why. */
  write(report: CopyReport, title: string): Promise<string[]>;
  /** Ends what is open. */
  close(): Promise<void>;
}

type Form = "page" | "markdown" | "json";

interface Destination {
  /** As the person named it. */
  path: string;
  form: Form;
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Forms that a report does not have: a page in their place would be a surprise. */
const otherForms = new Set([".csv", ".doc", ".docx", ".odt", ".pdf", ".txt", ".xls", ".xlsx", ".xml", ".yaml", ".yml"]);

/** A report that could not be written at the end would cost its list of what was made. Errors: UsageError. */
export async function openReports(
  { reports, pages }: ReportFiles,
  io: Pick<Io, "stdout" | "stderr">,
): Promise<Reports> {
  const other = reports.find((path) => otherForms.has(extname(path).toLowerCase()));
  if (other !== undefined)
    throw new UsageError(`--report ${other}: a report is JSON (.json), a page (.html) or Markdown (.md)`);
  const destinations: Destination[] = [];
  const close = async () => {
    for (const destination of destinations) await destination.close();
  };
  const wanted = [
    ...reports.map((path) => ({ path, form: formOf(path) })),
    ...pages.map((path) => ({ path, form: "page" as const })),
  ];
  try {
    for (const { path, form } of wanted) destinations.push({ path, form, ...(await destinationOf(path, io)) });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    close,
    async write(report, title) {
      const failed: string[] = [];
      for (const { path, form, write } of destinations)
        await write(textOf(form, report, title)).catch((error: unknown) => failed.push(`${path}: ${whyOf(error)}`));
      return failed;
    },
  };
}

const forms = new Map<string, Form>([
  [".html", "page"],
  [".htm", "page"],
  [".md", "markdown"],
]);
const formOf = (path: string): Form => forms.get(extname(path).toLowerCase()) ?? "json";

function textOf(form: Form, report: CopyReport, title: string): string {
  if (form === "page") return reportPage(report, title);
  return form === "markdown" ? reportMarkdown(report, title) : jsonText(report, 2);
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
const reasons: Record<string, string> = {
  ENOSPC: "no space is left there",
  EDQUOT: "the quota is used up",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "the folder does not exist",
  ENOTDIR: "the folder does not exist",
  EISDIR: "it is a folder",
  ENXIO: "nobody reads this pipe: start its reader first",
  EPIPE: "its reader has gone",
};
/** Why something cannot be written, with the system's own code. */
export function whyOf(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  return reasons[code] === undefined ? code : `${reasons[code]} (${code})`;
}

async function destinationOf(path: string, io: Pick<Io, "stdout" | "stderr">) {
  const own = /^\/(?:dev\/std(out|err)|(?:dev|proc\/self)\/fd\/([12]))$/.exec(path);
  // Opened anew, a file that stands behind it would be written from its beginning, over what was printed.
  if (own !== null) return printing(own[1] === "err" || own[2] === "2" ? io.stderr : io.stdout);
  try {
    const there = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (there?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    if (there !== undefined && !there.isFile()) return await handleOf(path, there.isFIFO());
    return await fileOf(await ended(path), there?.mode);
  } catch (error) {
    throw new UsageError(`the report cannot be written to ${path}: ${whyOf(error)}`);
  }
}

const printing = (stream: Io["stdout"]) => ({
  write: (text: string) => printed(stream, text),
  close: () => Promise.resolve(),
});

/** Pipes and devices: they stay what they are, and are held open, so that a reader hears its end only after the report. */
async function handleOf(path: string, pipe: boolean) {
  // Without a reader the second opening would wait, and nothing could end it.
  const reader = pipe ? await open(path, constants.O_WRONLY | constants.O_NONBLOCK) : undefined;
  const handle = await open(path, constants.O_WRONLY).finally(() => reader?.close());
  return {
    write: (text: string) => handle.writeFile(text),
    close: () => handle.close().catch(() => undefined),
  };
}

/** Whole or not at all: an older report is replaced only once the new one is written. */
async function fileOf(path: string, mode: number | undefined) {
  const beside = `${path}.${process.pid}.part`;
  const make = async (text: string) => {
    await rm(beside, { force: true });
    await writeFile(beside, text, { mode: (mode ?? 0o644) & 0o777, flag: "wx" });
  };
  const direct = (text: string) => writeFile(path, text);
  const remove = () => rm(beside, { force: true }).catch(() => undefined);
  if (mode !== undefined) await access(path, constants.W_OK);
  const folderRefuses = await make("").then(
    () => false,
    (error: unknown) => {
      // A file that may be written in a folder that may not, as one that is mounted into a container.
      if (mode !== undefined && ["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) return true;
      throw error;
    },
  );
  await remove();
  return {
    write: async (text: string) => {
      if (folderRefuses) return direct(text);
      try {
        await make(text);
        await rename(beside, path).catch((error: unknown) => {
          if (codeOf(error) === "EBUSY") return direct(text);
          throw error;
        });
      } finally {
        await remove();
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Where a symbolic link leads, also one to a file that is not there yet. */
async function ended(path: string, links = 40): Promise<string> {
  const there = await lstat(path).catch(() => undefined);
  if (there === undefined || links === 0) return path;
  if (!there.isSymbolicLink()) return realpath(path);
  return ended(resolve(await realpath(dirname(path)), await readlink(path)), links - 1);
}

/** A completed run's report as JSON. Errors: UsageError. */
export async function readReportFile(path: string): Promise<CopyReport> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`the report ${path} cannot be read: ${fileMessage(error)}`);
  });
  const report = readReport(text);
  if (report === undefined)
    throw new UsageError(`${path} is not a report of Rowferry as JSON, as --report FILE.json and --json write it`);
  return report;
}
