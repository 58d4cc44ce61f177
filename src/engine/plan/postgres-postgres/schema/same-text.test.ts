import { describe, expect, it } from "vitest";
import { sameText } from "./same-text.ts";

const list = "CHECK (((v)::text = ANY ((ARRAY['a b'::character varying, 'c''d'::character varying])::text[])))";
const again = "CHECK (((v)::text = ANY (ARRAY[('a b'::character varying)::text, ('c''d'::character varying)::text])))";

describe("two writings of one object", () => {
  it.each([
    ["constraint", list, again, true, true],
    ["constraint", list, again.replace("a b", "ab"), true, false],
    ["constraint", list, again.replace("a b", "ab"), false, false],
    ["constraint", list.replaceAll("::text", '::"text"'), again.replaceAll("::text", '::"text"'), true, true],
    ["constraint", list.replaceAll("::text", '::"text"'), again, false, true],
    ["column", '"json" ', "json ", false, true],
    ["view", " SELECT t.a\n   FROM s.t;", " SELECT a\n   FROM s.t;", false, true],
    ["view", ' SELECT "T"."A b"\n   FROM s."T";', ' SELECT "A b"\n   FROM s."T";', false, true],
    ["view", " SELECT t.a\n   FROM s.t;", " SELECT a\n   FROM s.t;", true, false],
    ["view", " SELECT t.a\n   FROM s.t;", " SELECT b\n   FROM s.t;", false, false],
    ["column", "integer (a + b)", "integer (a - b)", false, false],
    ["column", "text 'a b'::text", "text 'ab'::text", false, false],
    ["function", "SELECT (1)", "SELECT 1", false, false],
  ])(
    "%s %s and %s, servers alike %s: the same %s, as far as the text is the server's own",
    (kind, one, other, alike, same) => {
      expect(sameText({ kind, detail: one }, { detail: other }, alike)).toBe(same);
    },
  );
});
