import type { TestProject } from "vitest/node";
import { program } from "../../dev/cluster/binaries/index.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { type Referee, startReferee } from "./referee.ts";

/** One stripe-mock and one reader of Stripe's description, for every file of this part. */

declare module "vitest" {
  export interface ProvidedContext {
    referee: string;
  }
}

let referee: Referee | undefined;

export async function setup(project: TestProject): Promise<void> {
  const terminal = openTerminal({ name: "test-stripe" });
  try {
    referee = await startReferee(await program("stripeMock", "stripe-mock", { terminal }));
  } finally {
    terminal.close();
  }
  project.provide("referee", referee.url);
}

export async function teardown(): Promise<void> {
  await referee?.stop();
}
