import { createHash } from "node:crypto";

/**
 * The pages' only script: a copy button at each block of code, and the language that was chosen last in each example. Pages are
 * complete without it. It is the same in each page, so that the policy names it by its hash.
 */
export const script = `
const key = "example-language";
const labelOf = (input) => document.querySelector('label[for="' + input.id + '"]')?.textContent;
const kept = (() => { try { return localStorage.getItem(key); } catch { return null; } })();
const choose = (language) => { for (const input of document.querySelectorAll(".example > input")) if (labelOf(input) === language) input.checked = true; };
if (kept) choose(kept);
document.addEventListener("change", ({ target }) => {
  if (!target.matches?.(".example > input")) return;
  const language = labelOf(target);
  choose(language);
  try { localStorage.setItem(key, language); } catch {}
});
for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector("code").textContent.trimEnd());
      button.textContent = "Copied";
    } catch { button.textContent = "Select it and copy"; }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.append(button);
}
`;

/** For `script-src` of the Content-Security-Policy. */
export const scriptSource = `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
