/** What became of a Migration's payment intent; numbers of entries, in order. */
export interface Paid {
  id: string;
  /** When it became a hold. */
  held?: number;
  /** When its hold ended without Rowferry: lapsed, or cancelled by hand in the dashboard. */
  lost?: number;
  captured?: number;
  amount: number;
  /** When it had been refunded in full. */
  refundedInFull?: number;
  refunded: number;
  /** Whether Stripe's event about the last refund has arrived. */
  isHeard?: boolean;
}
