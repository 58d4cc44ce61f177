import { patience } from "../patience.ts";

/** Polls until the condition holds; rejects with its name after the deadline. */
export async function until(name: string, condition: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const deadline = Date.now() + patience(ms);
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${ms / 1000} s: ${name}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
