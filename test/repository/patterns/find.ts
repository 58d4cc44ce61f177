import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import type { SourceFile } from "../imports.ts";

/**
 * Every regular expression of a file: those that are written as such, and those that `new RegExp` makes of text. Text that a file
 * joins of constants is joined here too, also of constants that it imports; of anything else stands a word.
 */
export interface Pattern {
  /** From the root of the repository. */
  path: string;
  line: number;
  source: string;
  flags: string;
  /** Whether a word stands for a part of it. */
  isPartial: boolean;
}

/** As ESTree has it, of which only what is read here is named. */
interface Tree {
  type: string;
  start: number;
  [key: string]: unknown;
}

interface Scope {
  path: string;
  /** What a name was declared with; the last one, where several have it. */
  names: Map<string, Tree>;
  /** Of a name that is imported: the file, and the name there. */
  imports: Map<string, { path: string; name: string }>;
}

/** Stands for what is known only while the program runs. */
const word = "name";

export function createPatterns(root: string): (file: SourceFile) => Pattern[] {
  const scopes = new Map<string, Scope>();

  const scopeOf = (path: string, text: string): { scope: Scope; regexes: Tree[]; made: Tree[] } => {
    const scope: Scope = { path, names: new Map(), imports: new Map() };
    const regexes: Tree[] = [];
    const made: Tree[] = [];
    const { program, errors } = parseSync(path, text);
    if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
    const construct = (node: unknown) => {
      const tree = node as Tree;
      if ((tree.callee as Tree).name === "RegExp") made.push(tree);
    };
    new Visitor({
      VariableDeclarator(node) {
        const { id, init } = node as unknown as { id: Tree; init: Tree | null };
        if (id.type === "Identifier" && init !== null) scope.names.set(id.name as string, init);
      },
      ImportDeclaration(node) {
        const from = node.source.value;
        if (!from.startsWith(".")) return;
        for (const one of node.specifiers as unknown as Tree[]) {
          if (one.type !== "ImportSpecifier") continue;
          const name = (one.imported as Tree).name as string;
          const at = normalize(join(dirname(path), from));
          scope.imports.set((one.local as Tree).name as string, { path: at, name });
        }
      },
      Literal(node) {
        if ("regex" in node) regexes.push(node as unknown as Tree);
      },
      NewExpression: construct,
      CallExpression: construct,
    }).visit(program);
    scopes.set(path, scope);
    return { scope, regexes, made };
  };

  /** The text that an expression gives, as far as it is known. */
  const textOf = (node: Tree | undefined, scope: Scope, depth = 0): string => {
    if (node === undefined || depth > 20) return word;
    const next = (one: unknown) => textOf(one as Tree, scope, depth + 1);
    switch (node.type) {
      case "Literal":
        if ("regex" in node) return (node.regex as { pattern: string }).pattern;
        return typeof node.value === "string" ? node.value : word;
      case "TemplateLiteral":
        return templateText(node, (part) => part.cooked, next);
      case "TaggedTemplateExpression":
        return templateText(node.quasi as Tree, (part) => part.raw, next);
      case "BinaryExpression":
        return next(node.left) + next(node.right);
      case "MemberExpression":
        return (node.property as Tree).name === "source" ? next(node.object) : word;
      case "NewExpression":
        return next((node.arguments as Tree[])[0]);
      case "TSAsExpression":
      case "ParenthesizedExpression":
        return next(node.expression);
      case "CallExpression":
        return joined(node, next);
      case "Identifier":
        return named(node.name as string, scope, depth);
      default:
        return word;
    }
  };

  const named = (name: string, scope: Scope, depth: number): string => {
    const own = scope.names.get(name);
    if (own !== undefined) return textOf(own, scope, depth + 1);
    const imported = scope.imports.get(name);
    if (imported === undefined) return word;
    const there =
      scopes.get(imported.path) ?? scopeOf(imported.path, readFileSync(join(root, imported.path), "utf8")).scope;
    return named(imported.name, there, depth + 1);
  };

  return ({ path, text }) => {
    const { scope, regexes, made } = scopeOf(path, text);
    const lineOf = (at: number) => text.slice(0, at).split("\n").length;
    const written = regexes.map((node) => {
      const { pattern, flags } = node.regex as { pattern: string; flags: string };
      return { path, line: lineOf(node.start), source: pattern, flags, isPartial: false };
    });
    const composed = made.map((node) => {
      const [first, second] = node.arguments as Tree[];
      const source = textOf(first, scope);
      const flags = second === undefined ? "" : textOf(second, scope);
      return { path, line: lineOf(node.start), source, flags, isPartial: source.includes(word) };
    });
    return [...written, ...composed];
  };
}

interface Part {
  raw: string;
  cooked: string;
}

function templateText(node: Tree, of: (part: Part) => string, next: (one: unknown) => string): string {
  const parts = (node.quasis as { value: Part }[]).map(({ value }) => of(value));
  const between = (node.expressions as Tree[]).map(next);
  return parts.map((part, at) => part + (between[at] ?? "")).join("");
}

/** `[…].join("|")` of texts; of any other call a word. */
function joined(node: Tree, next: (one: unknown) => string): string {
  const callee = node.callee as Tree;
  const of = callee.object as Tree | undefined;
  if (callee.type !== "MemberExpression" || (callee.property as Tree).name !== "join") return word;
  const [by] = node.arguments as Tree[];
  if (of?.type !== "ArrayExpression" || by === undefined) return word;
  return (of.elements as Tree[]).map(next).join(next(by));
}
