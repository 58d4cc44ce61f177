import type { Assessed } from "../../prober.ts";

type Assessment = Assessed["assessment"];

export const isReported = ({ outcome }: Assessment["objects"][number]): boolean => outcome === "reported";

/**
 * Objects that would not be copied or would be changed, as findings, where no warning names them. A warning names one by kind and name; by its
 * name alone only where no other object has that name.
 */
export function notCopied({ findings, objects }: Pick<Assessment, "findings" | "objects">): Assessment["findings"] {
  const warned = new Set(findings.filter(({ severity }) => severity === "warning").map(({ object }) => object));
  const kindsOfName = Map.groupBy(objects, ({ name }) => name);
  const isNamed = ({ kind, name }: Assessment["objects"][number]) =>
    warned.has(`${kind} ${name}`) || (warned.has(name) && kindsOfName.get(name)?.length === 1);
  return objects
    .filter((one) => isReported(one) && !isNamed(one))
    .map(({ kind, name, note = "it is not copied, or is changed" }) => ({
      severity: "warning",
      code: "not_copied",
      object: `${kind} ${name}`,
      reason: note,
      fix: "",
    }));
}
