/** No worker can be given its work, now or ever: the run fails with this code and message. */
export class NoWork extends Error {
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "NoWork";
    this.code = code;
  }
}
