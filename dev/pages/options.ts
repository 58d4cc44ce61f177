import { optionFlags } from "../../src/cli/flags/index.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { code, generatedFrom, markdownTable } from "./table.ts";

/** docs/options.md */
export function optionsPage(): string {
  const rows = Object.keys(optionsSchema.shape).map((key, at) => {
    const flag = optionFlags[at];
    const help = (flag?.help ?? "").replace(" May be given several times.", "");
    return [code(key), code(`--${flag?.name} ${flag?.value ?? ""}`), help];
  });
  return `${generatedFrom("src/resources/options.ts")}

# Options of a copy

The same options stand in a Migration's \`spec.options\` and, with \`-\` for \`_\`, on the command line. There a list or a map is given by
repeating the flag (\`--include a --include b\`, \`--schemas sales=public --schemas crm=crm\`), and \`source_ca\` and \`target_ca\` name a file
where the Migration holds the PEM itself. \`kubectl explain migration.spec.options\` and \`rowferry copy --help\` say the same.

${markdownTable(["option", "flag", "what it does"], rows)}
`;
}
