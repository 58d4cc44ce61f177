import { describe, expect, it } from "vitest";
import { newTeamSchema } from "./shapes.ts";

const taken = (name: string) => newTeamSchema.safeParse({ name }).success;

describe("a name", () => {
  it.each(["x", "Data platform", "日本", "👩‍💻", "🐎".repeat(100), "a".repeat(100), 'O\'Neil "x" <b>'])(
    "is taken: %.30s",
    (name) => {
      expect(taken(name)).toBe(true);
    },
  );
  it.each(["", " ", " x", "x ", "a\nb", "a\u0000b", "\u001b[2J", "a\u202eb", "a\u2028b", "\u00a0", "a".repeat(101)])(
    "is refused: %j",
    (name) => {
      expect(taken(name)).toBe(false);
    },
  );
});
