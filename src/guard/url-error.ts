/** A connection URL that is not accepted. The message names what is wrong and never repeats the URL or a part that may be secret. */
export class UrlError extends Error {
  readonly code: UrlErrorCode;
  constructor(code: UrlErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UrlError";
    this.code = code;
  }
}

type UrlErrorCode =
  | "url_malformed"
  | "url_scheme"
  | "url_incomplete"
  | "url_parameter_refused"
  | "url_parameter_unknown"
  | "url_parameter_value"
  | "url_ca"
  | "url_placeholder"
  | "url_address_refused";
