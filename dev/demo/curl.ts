/** The demo's calls as lines for a shell: what is printed can be pasted, and sends what the demo sent. */

export interface Shell {
  baseUrl: string;
  /** A file with the CA that signed its certificate, PEM. */
  caFile: string;
}

/** As one word of a shell; plain words stay as they are. */
const word = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const json = "-H 'Content-Type: application/json'";
const data = (body: unknown): string => `-d ${word(JSON.stringify(body))}`;

/** What every line below needs; curl reads the second by itself. */
export const shellOpening = ({ baseUrl, caFile }: Shell): string =>
  `export API=${word(baseUrl)} CURL_CA_BUNDLE=${word(caFile)}`;

/** Signs in: by the time that the line is read, the demo has signed up. */
export const enterLine = (body: { email: string; password: string }): string =>
  `curl -sS -c cookies.txt $API/api/session ${json} ${data(body)}`;

/** A token by the session of the line before. */
export const mintLine = (body: { name: string }): string =>
  `curl -sS -b cookies.txt $API/api/tokens -H "Origin: $API" ${json} ${data(body)}`;

/** Defines `call`, of which the lines by `callLine` make use. */
export const callOpening = (token: string): string =>
  `call() { curl -sS -H ${word(`Authorization: Bearer ${token}`)} ${json} "$@"; }`;

/** A GET, or with a body a POST. */
export const callLine = (path: string, body?: unknown): string =>
  `call $API${path}${body === undefined ? "" : ` ${data(body)}`}`;
