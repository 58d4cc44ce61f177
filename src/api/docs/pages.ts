import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contents } from "./contents.ts";

/** The pages as they stand in docs/, read once. */

export interface DocPage {
  /** Its path is /docs/<name>. */
  name: string;
  /** Of its only heading of the first level. */
  title: string;
  about: string;
  markdown: string;
}

export interface PageSection {
  title: string;
  pages: DocPage[];
}

/** What a folder of docs holds. `schema`: of the report, JSON. */
export interface Pages {
  sections: readonly PageSection[];
  schema: string;
}

/** Throws where a page of the contents is missing or has no title. */
export function readPages(folder: string): Pages {
  const sections = contents.map(({ title, entries }) => ({
    title,
    pages: entries.map(({ name, about }): DocPage => {
      const markdown = readFileSync(join(folder, `${name}.md`), "utf8");
      return { name, title: titleOf(name, markdown), about, markdown };
    }),
  }));
  return { sections, schema: readFileSync(join(folder, "report.schema.json"), "utf8") };
}

function titleOf(name: string, markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1]?.trim();
  if (title === undefined) throw new Error(`docs/${name}.md has no title`);
  return title;
}
