import { refuse } from "./refusal.ts";
import { type Dialect, type Token, tokenize } from "./tokens.ts";

/** A place in the tokens, and the few questions that both parsers ask there. */
export interface Cursor {
  readonly dialect: Dialect;
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
  /** Guards the stack: `work` runs one level deeper. */
  deeper<Result>(work: () => Result): Result;
  /** Refuses what is left. */
  end(): void;
}

const deepest = 200;

export function createCursor(sql: string, dialect: Dialect): Cursor {
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
  return {
    dialect,
    peek,
    next,
    sees,
    took,
    expect(...words) {
      if (!took(...words)) unexpected();
    },
    seesSymbol,
    tookSymbol,
    expectSymbol(text) {
      if (!tookSymbol(text)) unexpected();
    },
    name() {
      const token = peek();
      if (token.is === "name") {
        at++;
        return token.text;
      }
      if (token.is !== "word") return unexpected();
      at++;
      return token.text;
    },
    deeper(work) {
      if (++depth > deepest) refuse("it is nested too deeply");
      try {
        return work();
      } finally {
        depth--;
      }
    },
    end() {
      if (peek().is !== "end") unexpected();
    },
  };
}
