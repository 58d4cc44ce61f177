import type { MigrationState } from "../../resources/migration.ts";

/** The pages to which Stripe sends a person back. They contain no script and no form, and load only the style sheet and the icon. */

export type Outcome = "done" | "cancelled";

export interface Shown {
  outcome: Outcome;
  /** Undefined where the page was opened without a migration's id, or with an unknown one. */
  state: MigrationState | undefined;
  /** Path of the base URL, without a slash at its end: `""` or `/ferry`. */
  prefix: string;
}

interface Text {
  title: string;
  paragraphs: readonly string[];
}

const close = "You can close this page.";
const notCharged = "Nothing has been charged yet: the charge is made only if the copy is completed and verified.";

const states: Record<MigrationState, Text> = {
  awaiting_payment: {
    title: "Waiting for the payment",
    paragraphs: ["Stripe has not confirmed the authorization yet. This usually takes a few seconds.", notCharged],
  },
  pending: { title: "Payment authorized", paragraphs: ["The migration starts by itself.", notCharged, close] },
  in_progress: { title: "Payment authorized", paragraphs: ["The migration is running.", notCharged, close] },
  completed: {
    title: "Migration completed",
    paragraphs: ["The data is copied and verified. The list of migrations shows the amount that was charged.", close],
  },
  failed: {
    title: "Migration failed",
    paragraphs: ["You are not charged. The migration's logs show the cause. Retry it when the cause is fixed.", close],
  },
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

const textOf = ({ outcome, state }: Shown): Text => {
  if (outcome === "cancelled" && (state === undefined || state === "awaiting_payment")) return cancelled;
  return state === undefined ? done : states[state];
};

/** Seconds after which a browser loads the page again while the state can change. */
const refreshAfter = 3;

/** HTML. All texts are fixed: nothing of the request is in it. */
export function checkoutPage(shown: Shown): string {
  const { title, paragraphs } = textOf(shown);
  const { state, prefix } = shown;
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
