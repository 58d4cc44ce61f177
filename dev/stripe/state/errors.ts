/** Fields of an error besides type and message, as Stripe names them. */
interface Details {
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: unknown;
}

/** An error as Stripe answers it. */
export class StripeFailure extends Error {
  readonly status: number;
  readonly body: { error: Details & { type: string; message: string } };

  constructor(status: number, type: string, message: string, details: Details = {}) {
    super(message);
    this.name = "StripeFailure";
    this.status = status;
    this.body = { error: { ...details, message, type } };
  }
}

/** Bad input, or an operation that does not fit the object's state. */
export const invalid = (message: string, details: Details = {}): StripeFailure =>
  new StripeFailure(400, "invalid_request_error", message, details);

export const missing = (object: string, id: string, param: string): StripeFailure =>
  new StripeFailure(404, "invalid_request_error", `No such ${object}: '${id}'`, { code: "resource_missing", param });
