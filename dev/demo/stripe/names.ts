/** Names and ports of the Stripe simulator in the demo's cluster. */
export const stripe = {
  service: "stripe-simulator",
  port: 12_111,
  controlPort: 12_112,
  /** The Secret with the API key and the webhook's signing secret, in Rowferry's namespace and in the simulator's. */
  secret: "rowferry-stripe",
} as const;

/** Path of the API to which Stripe sends events. */
export const webhookPath = "/webhooks/stripe";
