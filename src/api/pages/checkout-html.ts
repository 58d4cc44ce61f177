import type { PublicState } from "../../requests/billing/public-state.ts";
import type { MigrationState } from "../../resources/migration.ts";

/** The pages to which Stripe sends a person back. They contain no script and no form, and load only the style sheet and the icon. */

export type CheckoutOutcome = "done" | "cancelled";

interface CheckoutPage {
  outcome: CheckoutOutcome;
  /** Undefined where the page was opened without a migration's id, or with an unknown one. */
  found: PublicState | undefined;
  /** Path of the base URL, without a slash at its end: `""` or `/ferry`. */
  prefix: string;
}

interface Text {
  title: string;
  paragraphs: readonly string[];
}

const close = "You can close this page.";
const notCharged = "Nothing has been charged yet: the charge is made only if the copy is completed and verified.";

const charged = "The amount that was charged earlier also pays for this run.";
const ofRun = (payment: PublicState["payment"]) => (payment === "charged" ? charged : notCharged);

const awaiting: Record<PublicState["payment"], Text> = {
  open: {
    title: "Waiting for the payment",
    paragraphs: ["Stripe has not confirmed the authorization yet. This usually takes a few seconds.", notCharged],
  },
  ended: {
    title: "Payment not authorized",
    paragraphs: [
      "The card has no hold for this migration any more, and nothing is charged. The migration's logs show the cause.",
      "To continue, request a new checkout link and open it: POST /api/migrations/{id}/checkout.",
    ],
  },
  impossible: {
    title: "Payments are switched off",
    paragraphs: [
      "This installation takes no payments any more, so this migration does not start. Nothing is charged.",
      "Delete the migration and create it again: that is not charged.",
    ],
  },
  charged: { title: "Waiting for the payment", paragraphs: [notCharged] },
};

const states: Record<MigrationState, (payment: PublicState["payment"]) => Text> = {
  awaiting_payment: (payment) => awaiting[payment],
  pending: (payment) => ({
    title: "Payment authorized",
    paragraphs: ["The migration starts by itself.", ofRun(payment), close],
  }),
  in_progress: (payment) => ({
    title: "Payment authorized",
    paragraphs: ["The migration is running.", ofRun(payment), close],
  }),
  completed: () => ({
    title: "Migration completed",
    paragraphs: ["The data is copied and verified. The list of migrations shows the amount that was charged.", close],
  }),
  failed: (payment) => ({
    title: "Migration failed",
    paragraphs: [
      payment === "charged"
        ? "This run is not charged. An amount was charged earlier: the list of migrations shows it."
        : "You are not charged.",
      "The migration's logs show the cause and what to do next.",
      close,
    ],
  }),
};

const done: Text = {
  title: "Back from the checkout",
  paragraphs: ["Rowferry applies the payment or the subscription within a minute.", close],
};

const cancelled: Text = {
  title: "Payment not authorized",
  paragraphs: [
    "You left the checkout. Nothing is charged, and the migration does not start.",
    "To continue, open the checkout link again. If it has expired, request a new one: POST /api/migrations/{id}/checkout.",
    "If you no longer need the migration, delete it.",
  ],
};

const isFinal = (state: MigrationState | undefined): boolean =>
  state === undefined || state === "completed" || state === "failed";

const textOf = ({ outcome, found }: CheckoutPage): Text => {
  const isOpen = found === undefined || (found.state === "awaiting_payment" && found.payment === "open");
  if (outcome === "cancelled" && isOpen) return cancelled;
  return found === undefined ? done : states[found.state](found.payment);
};

/** Seconds after which a browser loads the page again while the state can change. */
const refreshAfter = 3;

/** HTML. All texts are fixed: nothing of the request is in it. */
export function checkoutPage(shown: CheckoutPage): string {
  const { title, paragraphs } = textOf(shown);
  const { found, prefix } = shown;
  const state = found?.state;
  const lines = [
    ...(state === undefined ? [] : [`<p>State: <strong id="state">${state}</strong></p>`]),
    ...paragraphs.map((text) => `<p>${text}</p>`),
    ...(isFinal(state) ? [] : [`<p>This page refreshes every ${refreshAfter} seconds.</p>`]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isFinal(state) ? "" : `<meta http-equiv="refresh" content="${refreshAfter}">\n`}<title>${title} · Rowferry</title>
<link rel="stylesheet" href="${prefix}/docs/style.css">
<link rel="icon" href="${prefix}/docs/icon.svg" type="image/svg+xml">
</head>
<body>
<header><a href="${prefix}/docs">Rowferry</a></header>
<main id="content">
<h1>${title}</h1>
${lines.join("\n")}
</main>
</body>
</html>
`;
}
