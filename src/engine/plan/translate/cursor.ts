import { refuse } from "./refusal.ts";
import { type Dialect, type Token, tokenize } from "./tokens.ts";
import type { Node, Query } from "./tree.ts";

/** What the parsers call each other by, since expressions hold queries and queries expressions. */
interface Grammar {
  /** Operators that bind weaker than `least` are left. */
  expression(cursor: Cursor, least: number): Node;
  query(cursor: Cursor): Query;
}

/** A place in the tokens, and the few questions that the parsers ask there. */
export interface Cursor {
  readonly dialect: Dialect;
  expression(least?: number): Node;
  query(): Query;
  peek(ahead?: number): Token;
  next(): Token;
  /** Whether these keywords come next; they are not taken. */
  sees(...words: string[]): boolean;
  /** Takes the keywords if they come next. */
  took(...words: string[]): boolean;
  expect(...words: string[]): void;
  seesSymbol(text: string): boolean;
  tookSymbol(text: string): boolean;
  expectSymbol(text: string): void;
  /** A name, quoted or not. */
  name(): string;
  /** What `work` reads, within parentheses. */
  inParentheses<Result>(work: () => Result): Result;
  /** What `work` reads, once and again after each comma. */
  list<Result>(work: () => Result): Result[];
  /** Refuses what is left. */
  end(): void;
}

const deepest = 200;

export function createCursor(sql: string, dialect: Dialect, grammar: Grammar): Cursor {
  const tokens = tokenize(sql, dialect);
  let at = 0;
  let depth = 0;
  const peek = (ahead = 0): Token => tokens[Math.min(at + ahead, tokens.length - 1)] as Token;
  const next = (): Token => {
    const token = peek();
    at++;
    return token;
  };
  const sees = (...words: string[]): boolean =>
    words.every((word, ahead) => {
      const token = peek(ahead);
      return token.is === "word" && token.upper === word;
    });
  const took = (...words: string[]): boolean => {
    if (!sees(...words)) return false;
    at += words.length;
    return true;
  };
  const seesSymbol = (text: string): boolean => {
    const token = peek();
    return token.is === "symbol" && token.text === text;
  };
  const tookSymbol = (text: string): boolean => {
    if (!seesSymbol(text)) return false;
    at++;
    return true;
  };
  const unexpected = (): never => {
    const { text } = peek();
    return refuse(text === "" ? "its text ends too early" : `${JSON.stringify(text)} is not understood there`);
  };
  /** Guards the stack. */
  const deeper = <Result>(work: () => Result): Result => {
    if (++depth > deepest) refuse("it is nested too deeply");
    try {
      return work();
    } finally {
      depth--;
    }
  };
  const expectSymbol = (text: string): void => {
    if (!tookSymbol(text)) unexpected();
  };
  const cursor: Cursor = {
    dialect,
    expression: (least = 0) => deeper(() => grammar.expression(cursor, least)),
    query: () => deeper(() => grammar.query(cursor)),
    peek,
    next,
    sees,
    took,
    expect(...words) {
      if (!took(...words)) unexpected();
    },
    seesSymbol,
    tookSymbol,
    expectSymbol,
    name() {
      const token = peek();
      if (token.is !== "name" && token.is !== "word") return unexpected();
      at++;
      return token.text;
    },
    inParentheses(work) {
      expectSymbol("(");
      const result = work();
      expectSymbol(")");
      return result;
    },
    list(work) {
      const found = [work()];
      while (tookSymbol(",")) found.push(work());
      return found;
    },
    end() {
      if (peek().is !== "end") unexpected();
    },
  };
  return cursor;
}
