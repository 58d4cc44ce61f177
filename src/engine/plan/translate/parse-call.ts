import type { Cursor } from "./cursor.ts";
import { parseOrder } from "./parse-order.ts";
import { typeName } from "./parse-type.ts";
import { refuse } from "./refusal.ts";
import type { FunctionCall, Node, Window } from "./tree.ts";

/** Names, calls, and the forms that begin with a keyword. */

const nowWords: Record<string, "timestamp" | "localtimestamp" | "date" | "time"> = {
  CURRENT_TIMESTAMP: "timestamp",
  LOCALTIMESTAMP: "localtimestamp",
  LOCALTIME: "localtimestamp",
  CURRENT_DATE: "date",
  CURRENT_TIME: "time",
};

/** Undefined: no such form, so that it is a name or a call. */
export function parseSpecial(cursor: Cursor): Node | undefined {
  const token = cursor.peek();
  if (token.is !== "word") return undefined;
  const { upper } = token;
  const after = cursor.peek(1);
  const opens = after.is === "symbol" && after.text === "(";
  switch (upper) {
    case "NULL":
      cursor.next();
      return { is: "null" };
    case "TRUE":
    case "FALSE":
      cursor.next();
      return { is: "boolean", value: upper === "TRUE" };
    case "CASE":
      return parseCase(cursor);
    case "DATE":
    case "TIME":
    case "TIMESTAMP": {
      if (after.is !== "string") return undefined;
      cursor.next();
      cursor.next();
      return { is: "temporal", type: upper.toLowerCase() as "date" | "time" | "timestamp", text: after.text };
    }
    case "EXISTS": {
      if (!opens) return undefined;
      cursor.next();
      return { is: "exists", query: cursor.inParentheses(() => cursor.query()) };
    }
    case "CAST": {
      if (!opens) return undefined;
      cursor.next();
      return cursor.inParentheses(() => {
        const operand = cursor.expression();
        cursor.expect("AS");
        return { is: "cast", operand, type: typeName(cursor) };
      });
    }
    case "EXTRACT": {
      if (!opens) return undefined;
      cursor.next();
      return cursor.inParentheses(() => {
        const unit = cursor.next();
        // A PostgreSQL session that quotes all names quotes these.
        if (unit.is !== "word" && unit.is !== "string" && unit.is !== "name")
          refuse("EXTRACT's field is not understood");
        cursor.expect("FROM");
        return { is: "extract", field: unit.text.toLowerCase(), operand: cursor.expression() };
      });
    }
    case "INTERVAL": {
      if (cursor.dialect !== "mysql" || opens) return undefined;
      cursor.next();
      const amount = cursor.expression(10);
      return { is: "interval", amount, unit: cursor.name().toUpperCase() };
    }
    case "ARRAY": {
      if (after.is !== "symbol" || after.text !== "[") return undefined;
      cursor.next();
      cursor.next();
      const items = cursor.seesSymbol("]") ? [] : cursor.list(cursor.expression);
      cursor.expectSymbol("]");
      return { is: "array", items };
    }
    case "BINARY":
      return cursor.dialect === "mysql" && !opens ? refuse("BINARY is not translated") : undefined;
    case "MATCH":
      return cursor.dialect === "mysql" ? refuse("MATCH … AGAINST has no equal") : undefined;
    case "SELECT":
    case "FROM":
    case "WHERE":
    case "AND":
    case "OR":
    case "WHEN":
    case "THEN":
    case "ELSE":
    case "END":
      return refuse(`${upper} is not understood there`);
    default: {
      const what = nowWords[upper];
      // Quoted names never come here, so the word is the keyword.
      if (what === undefined) return undefined;
      cursor.next();
      return { is: "now", what, digits: digits(cursor) };
    }
  }
}

/** The digits of `(3)` or `()` or nothing: -1 where none are written. */
function digits(cursor: Cursor): number {
  if (!cursor.tookSymbol("(")) return -1;
  if (cursor.tookSymbol(")")) return -1;
  const token = cursor.next();
  if (token.is !== "number" || !/^[0-6]$/.test(token.text)) refuse("the digits of the present time are not understood");
  cursor.expectSymbol(")");
  return Number(token.text);
}

function parseCase(cursor: Cursor): Node {
  cursor.expect("CASE");
  const operand = cursor.sees("WHEN") ? undefined : cursor.expression();
  const arms: { when: Node; result: Node }[] = [];
  while (cursor.took("WHEN")) {
    const when = cursor.expression();
    cursor.expect("THEN");
    arms.push({ when, result: cursor.expression() });
  }
  const otherwise = cursor.took("ELSE") ? cursor.expression() : undefined;
  cursor.expect("END");
  return {
    is: "case",
    arms,
    ...(operand === undefined ? {} : { operand }),
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

export function parseCall(cursor: Cursor): Node {
  const path = [cursor.name()];
  while (cursor.tookSymbol(".")) {
    if (cursor.seesSymbol("*")) refuse("* in place of columns is not translated");
    path.push(cursor.name());
  }
  if (!cursor.seesSymbol("(")) return { is: "column", path };
  const name = path.at(-1) as string;
  const call: FunctionCall = {
    is: "call",
    name: cursor.dialect === "mysql" ? name.toUpperCase() : name,
    args: [],
    star: false,
    distinct: false,
    order: [],
    ...(path.length > 1 ? { schema: path.at(-2) as string } : {}),
  };
  cursor.next();
  parseArguments(cursor, call);
  cursor.expectSymbol(")");
  if (cursor.took("WITHIN")) refuse("WITHIN GROUP is not translated");
  if (cursor.took("FILTER"))
    call.filter = cursor.inParentheses(() => {
      cursor.expect("WHERE");
      return cursor.expression();
    });
  if (cursor.took("OVER")) call.over = parseWindow(cursor);
  return call;
}

function parseArguments(cursor: Cursor, call: FunctionCall): void {
  if (cursor.seesSymbol(")")) return;
  if (cursor.tookSymbol("*")) {
    call.star = true;
    return;
  }
  call.distinct = cursor.took("DISTINCT");
  const side = ["BOTH", "LEADING", "TRAILING"].find((word) => cursor.took(word));
  if (side !== undefined) {
    const only = cursor.took("FROM");
    const first = cursor.expression();
    call.name = `TRIM ${side}`;
    call.args = only || !cursor.took("FROM") ? [first] : [cursor.expression(), first];
    return;
  }
  const units = cursor.dialect === "mysql" && (call.name === "TIMESTAMPDIFF" || call.name === "TIMESTAMPADD");
  if (units) {
    call.args.push({ is: "string", text: cursor.name().toUpperCase() });
    cursor.expectSymbol(",");
  }
  call.args.push(...cursor.list(() => cursor.expression(call.name.toUpperCase() === "POSITION" ? 7 : 0)));
  if (cursor.took("IN")) call.args.push(cursor.expression(7));
  else if (cursor.took("FROM")) {
    call.args.push(cursor.expression());
    if (cursor.took("FOR")) call.args.push(cursor.expression());
  } else if (cursor.took("USING")) {
    call.name = `${call.name} USING`;
    call.args.push({ is: "string", text: cursor.name().toLowerCase() });
  }
  if (cursor.sees("ORDER", "BY")) call.order = parseOrder(cursor);
  if (cursor.took("SEPARATOR")) {
    const token = cursor.next();
    if (token.is !== "string") refuse("the separator of GROUP_CONCAT is not understood");
    call.separator = token.text;
  }
}

function parseWindow(cursor: Cursor): Window {
  if (!cursor.seesSymbol("(")) refuse("named windows are not translated");
  return cursor.inParentheses(() => {
    const partition = cursor.took("PARTITION", "BY") ? cursor.list(cursor.expression) : [];
    const window: Window = { partition, order: cursor.sees("ORDER", "BY") ? parseOrder(cursor) : [] };
    if (cursor.sees("ROWS") || cursor.sees("RANGE")) {
      const words: string[] = [];
      for (let token = cursor.peek(); token.is === "word" || token.is === "number"; token = cursor.peek()) {
        words.push(token.text.toUpperCase());
        cursor.next();
      }
      window.frame = words.join(" ");
    }
    return window;
  });
}
