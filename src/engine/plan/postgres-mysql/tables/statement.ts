/** The pieces of the statements that this room writes: words, quoted names, literals and what stands in brackets. Pure. */
export interface StatementToken {
  kind: "word" | "name" | "string" | "group" | "comma";
  /** Of a name and of a group what is within; of a string as written, with its quotes. */
  text: string;
}

/** Errors: none; what is not closed ends with the text. */
export function tokens(sql: string): StatementToken[] {
  const found: StatementToken[] = [];
  for (let at = 0; at < sql.length; ) {
    const character = sql[at] as string;
    if (/\s/.test(character)) {
      at++;
      continue;
    }
    if (character === ",") {
      found.push({ kind: "comma", text: "," });
      at++;
      continue;
    }
    if (character === "`") {
      const end = closing(sql, at);
      found.push({ kind: "name", text: sql.slice(at + 1, end - 1).replaceAll("``", "`") });
      at = end;
      continue;
    }
    if (character === "'") {
      const end = closing(sql, at);
      found.push({ kind: "string", text: sql.slice(at, end) });
      at = end;
      continue;
    }
    if (character === "(") {
      const end = closing(sql, at);
      found.push({ kind: "group", text: sql.slice(at + 1, end - 1) });
      at = end;
      continue;
    }
    const word = /^[^\s,`'()]+/.exec(sql.slice(at))?.[0] ?? character;
    found.push({ kind: "word", text: word });
    at += word.length;
  }
  return found;
}

/** The place after what begins at `start`: a name, a string or a bracket. */
function closing(sql: string, start: number): number {
  const open = sql[start];
  for (let at = start + 1; at < sql.length; at++) {
    const character = sql[at];
    if (open === "(") {
      if (character === ")") return at + 1;
      if (character === "(" || character === "'" || character === "`") at = closing(sql, at) - 1;
    } else if (character === "\\" && open === "'") at++;
    else if (character === open) {
      if (sql[at + 1] !== open) return at + 1;
      at++;
    }
  }
  return sql.length;
}

/** Parted at its commas. */
export function items(list: readonly StatementToken[]): StatementToken[][] {
  const parts: StatementToken[][] = [[]];
  for (const token of list) {
    if (token.kind === "comma") parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.filter((part) => part.length > 0);
}

/** The words among them in upper case, other tokens as an empty text; for looking up clauses. */
export const wordsOf = (list: readonly StatementToken[]): string[] =>
  list.map(({ kind, text }) => (kind === "word" ? text.toUpperCase() : ""));
