import type { Socket } from "node:net";
import { EngineError } from "../../contract/index.ts";
import { answerBytes } from "../../run/memory/bounded.ts";

/**
 * Stands before the driver, which believes every length and keeps every row: reads the heads of the messages, and cuts the connection
 * where a server says more than an honest one would, or sends data without a request.
 */

export interface Bounds {
  /** A statement is sent: one more answer is due. Of a `copy` its data pass uncounted, since they go to who takes them at once. */
  asked(copy: boolean): void;
}

/** Type and length. */
const headBytes = 5;
/** Far more than a login takes. */
const loginBytes = 1 << 20;
/** What each message costs beside its bytes. Rows of data come by COPY, and cost nothing. */
const messageBytes = 64;
/** Notices and errors are kept as text, and told. */
const wordsBytes = 16 << 20;
/** Notices are dropped as they come, and a trigger may raise one for each row: all of one answer. */
const noticesBytes = 512 << 20;
/** A row of a COPY: what a server can make. */
const copyBytes = 1 << 30;
/** SASL, its first and its last answer, and that it is well: with MD5 and others fewer. */
const mostAuthentications = 4;

/** Of the stream on which the driver listens by now (over TLS, the TLS socket). */
export function boundAnswers(stream: Socket): Bounds {
  const [driver] = stream.listeners("data") as ((bytes: Buffer) => void)[];
  if (driver === undefined) throw new Error("the driver does not listen on its connection");
  const messages = createJudge();
  const head = Buffer.alloc(headBytes);
  let read = 0;
  /** Of the message that is under way. */
  let missing = 0;
  let over = false;

  const scan = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      if (missing > 0) {
        const skipped = Math.min(missing, bytes.length - at);
        missing -= skipped;
        at += skipped;
        continue;
      }
      const taken = Math.min(headBytes - read, bytes.length - at);
      bytes.copy(head, read, at, at + taken);
      read += taken;
      at += taken;
      if (read < headBytes) return;
      read = 0;
      const length = head.readUInt32BE(1);
      messages.judge(String.fromCharCode(head[0] ?? 0), length);
      missing = length - (headBytes - 1);
    }
  };

  stream.off("data", driver);
  stream.on("data", (bytes: Buffer) => {
    if (over) return;
    try {
      scan(bytes);
      // It throws on a message whose fields do not fit into it.
      driver(bytes);
    } catch (error) {
      over = true;
      stream.destroy(error instanceof EngineError ? error : unfit(error));
    }
  });
  return { asked: messages.asked };
}

const unfit = (cause: unknown) =>
  new EngineError(
    "protocol_error",
    "the server sends a message that is none of PostgreSQL's: is it what it seems to be?",
    {
      cause,
    },
  );

const refused = (why: string) => new EngineError("protocol_error", `the server ${why}: is it what it seems to be?`);

const tooManyNotices = () =>
  new EngineError(
    "source_refused",
    `the server sends more than ${noticesBytes >> 20} MB of notices in one answer: is it what it seems to be?`,
  );

function createJudge() {
  let loggedIn = false;
  let authentications = 0;
  let due = 0;
  let copy = false;
  let left = loginBytes;
  let noticed = 0;

  const spend = (length: number) => {
    left -= length + messageBytes;
    if (left >= 0) return;
    const [bytes, what] = loggedIn ? [answerBytes, "a query"] : [loginBytes, "the login"];
    throw new EngineError(
      "source_refused",
      `the server's answer to ${what} is larger than ${Math.round(bytes / (1 << 20))} MB, which is more than is ever kept of one: is it what it seems to be?`,
    );
  };

  const ready = () => {
    if (loggedIn && due === 0) throw refused("sends data without a request");
    if (loggedIn) due -= 1;
    loggedIn = true;
    copy = copy && due > 0;
    left = answerBytes;
    noticed = 0;
  };

  return {
    asked(asCopy: boolean) {
      due += 1;
      copy ||= asCopy;
    },
    /** `length` counts itself, as on the wire. */
    judge(type: string, length: number) {
      if (length < 4) throw refused("sends a message that is shorter than its head");
      switch (type) {
        case "d":
        case "H":
        case "G":
          if (!copy) throw refused("starts a COPY that was not requested");
          if (length > copyBytes) throw refused("sends a row that no server can make");
          return;
        case "s":
          throw refused("stops in the middle of its rows");
        case "R":
          authentications += 1;
          if (loggedIn || authentications > mostAuthentications) throw refused("asks to log in again and again");
          break;
        case "E":
        case "N":
          if (length > wordsBytes) throw refused("sends words without end");
          if (type === "E" || !loggedIn) break;
          noticed += length + messageBytes;
          if (noticed > noticesBytes) throw tooManyNotices();
          return;
        case "Z":
          ready();
          break;
        default:
      }
      spend(length);
    },
  };
}
