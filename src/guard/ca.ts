import { X509Certificate } from "node:crypto";
import { UrlError } from "./url-error.ts";

/** A CA as a user gives it: one or more certificates as PEM. */

const begin = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----/g;
const end = /-----END (?:TRUSTED )?CERTIFICATE-----/g;

/** In linear time: a first line without a last one ends the search. */
function blocksOf(text: string): { blocks: string[]; rest: string } {
  const blocks: string[] = [];
  let rest = "";
  let at = 0;
  for (;;) {
    begin.lastIndex = at;
    const first = begin.exec(text);
    if (first === null) break;
    end.lastIndex = begin.lastIndex;
    if (end.exec(text) === null) break;
    blocks.push(text.slice(first.index, end.lastIndex));
    rest += text.slice(at, first.index);
    at = end.lastIndex;
  }
  return { blocks, rest: rest + text.slice(at) };
}

interface CaText {
  /** The certificates alone, as PEM. */
  certificates: string;
  /** Whether there is text besides them, such as the comments of a bundle. */
  moreText: boolean;
}

/** Each certificate is parsed, so that no other text passes as a CA. Errors: UrlError `url_ca`. */
export function parseCa(text: string): CaText {
  const { blocks, rest } = blocksOf(text);
  if (blocks.length === 0)
    throw new UrlError("url_ca", "the CA must be PEM text that begins with -----BEGIN CERTIFICATE-----");
  for (const [at, pem] of blocks.entries()) {
    try {
      new X509Certificate(pem);
    } catch (cause) {
      throw new UrlError(
        "url_ca",
        `the CA has a certificate that cannot be parsed, number ${at + 1} of ${blocks.length}`,
        { cause },
      );
    }
  }
  return { certificates: `${blocks.join("\n")}\n`, moreText: rest.trim() !== "" };
}
