import { run } from "../terminal/run.ts";

const answerMs = 5_000;

/** Whether a Docker engine answers. */
export const dockerAnswers = (): Promise<boolean> =>
  run("docker", ["info", "--format", "{{.ServerVersion}}"], { timeoutMs: answerMs }).then(
    ({ stdout }) => stdout.trim() !== "",
    () => false,
  );
