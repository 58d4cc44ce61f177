import { expect, test } from "vitest";
import { api, signUp } from "./world.ts";

test("A token that was just minted is known to both replicas", async () => {
  const person = await signUp();
  for (const replica of [0, 1]) {
    const answer = await api("/api/account", { token: person.token, replica });
    expect(answer).toMatchObject({ status: 200, body: { email: person.email } });
  }
});
