import { Agent, type RequestOptions, request } from "node:https";
import type { TlsFiles } from "../../src/prober/tls-files.ts";
import type { RunningProber } from "./prober.ts";

/** One request as it is, by the API's certificate unless another (or none) is given. Rejects where none was answered. */
export function send(
  { url, api, ca }: Pick<RunningProber, "url" | "api" | "ca">,
  options: Omit<RequestOptions, "agent"> & { path?: string; body?: string; as?: Partial<TlsFiles> } = {},
): Promise<{ status: number; text: string }> {
  const { path = "/test", body = "{}", as = api, ...more } = options;
  const agent = new Agent({ ca: ca.certificate, ...as });
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", ...more.headers };
    const sent = request(`${url}${path}`, { method: "POST", ...more, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
