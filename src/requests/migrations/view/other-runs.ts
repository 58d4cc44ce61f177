/**
 * A run keeps its resource's kind, namespace and name in a target, where a run of any other team may meet them. Pure.
 */

/** As the engine's error says it: `in use by Migration rowferry-t1/6f6d8f6a-…`. */
const inUse = /\bin use by ([A-Z]\w{1,30}) ([a-z0-9][a-z0-9.-]{0,62})\/([\w.-]{1,253})/g;

/** The text without another team's namespace and ids. `own`: the reader's namespace, whose runs keep their ids. */
export const withoutOtherRuns = (text: string, own: string | undefined): string =>
  text.replace(inUse, (_found, kind: string, namespace: string, name: string) =>
    namespace === own ? `in use by ${kind} ${name}` : "in use by a run of another team",
  );
