import { product, summary } from "./contents.ts";
import type { DocPage, PageSection } from "./pages.ts";

/** The documentation for models, by the rules of llmstxt.org. `base`: where users reach the service, without a slash at the end. */

const head = (lines: readonly string[]): string => [`# ${product}`, "", `> ${summary}`, "", ...lines].join("\n");

/** A title, a summary, and a list of links for each section. */
export function llmsText(sections: readonly PageSection[], base: string): string {
  const lists = sections.flatMap(({ title, pages }) => [
    `## ${title}`,
    "",
    ...pages.map((page) => `- [${page.title}](${base}/docs/${page.name}.md): ${page.about}`),
    "",
  ]);
  const optional = [
    "## Optional",
    "",
    `- [OpenAPI document](${base}/openapi.json): every endpoint of REST, with fields, examples and errors`,
    `- [Schema of the report](${base}/docs/report.schema.json): JSON Schema of a run's verification report`,
    `- [All pages in one](${base}/llms-full.txt): the complete documentation as one text`,
    "",
  ];
  return head([
    `The REST API is at ${base}/api: \`POST /api/migrations\` starts a copy, \`GET /api/migrations/{id}\` returns its status and progress. Every page below is Markdown.`,
    "",
    ...lists,
    ...optional,
  ]);
}

/** All pages, one after the other; their links are made whole, since none of them has a place of its own here. */
export function llmsFullText(sections: readonly PageSection[], base: string): string {
  const pages = sections.flatMap((section) => section.pages);
  return head(pages.map((page) => `${withSource(page, base)}\n`));
}

function withSource({ name, markdown }: DocPage, base: string): string {
  const whole = markdown
    .replace(/^<!--[\s\S]*?-->\s*/, "")
    .replace(/\]\((?!#)([a-z0-9.-]+\.(?:md|json)(?:#[^)\s]*)?)\)/g, `](${base}/docs/$1)`)
    .replace(/\]\(#([^)\s]*)\)/g, `](${base}/docs/${name}.md#$1)`)
    .trim();
  // The source stands below the page's own title.
  return `${whole.replace(/^(# .+)$/m, `$1\n\nSource: ${base}/docs/${name}.md`)}\n`;
}
