import type { Rule } from "../../controllers/rbac.ts";

/**
 * Holds what was asked of the API server (its audit log) against what the chart grants: every right granted is used,
 * and every one needed is granted.
 */

/** The parts of an `audit.k8s.io/v1` Event that matter here. */
export interface AuditEvent {
  verb: string;
  user: { username: string };
  objectRef?: { apiGroup?: string; resource?: string; subresource?: string; namespace?: string; name?: string };
  annotations?: Record<string, string>;
}

/** One verb on one resource. `namespace`: a Role's; absent for a ClusterRole. */
export interface Grant {
  apiGroup: string;
  resource: string;
  verb: string;
  resourceName?: string;
  namespace?: string;
}

/** The lines of an audit log; a last line that is still being written is left out. */
export function parseAuditLog(text: string): AuditEvent[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditEvent);
}

/** The grants of a role's rules, one by one; those of a Role first, which are narrower. */
export function grantsOf(rules: { cluster: readonly Rule[]; namespace: readonly Rule[] }, namespace: string): Grant[] {
  const flat = (list: readonly Rule[], where: { namespace?: string }) =>
    list.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
      apiGroups.flatMap((apiGroup) =>
        resources.flatMap((resource) =>
          verbs.flatMap((verb) =>
            resourceNames.map((resourceName) => ({
              apiGroup,
              resource,
              verb,
              ...(resourceName === undefined ? {} : { resourceName }),
              ...where,
            })),
          ),
        ),
      ),
    );
  return [...flat(rules.namespace, { namespace }), ...flat(rules.cluster, {})];
}

/**
 * `unused`: grants that no request of the user needed; a request uses the narrowest grant that allows it.
 * `missing`: requests that were refused, each once. Requests outside the API's resources (`/version`) need no grant.
 */
export function judgeRights(
  events: readonly AuditEvent[],
  grants: readonly Grant[],
  username: string,
): { unused: string[]; missing: string[] } {
  const used = new Set<Grant>();
  const missing = new Set<string>();
  for (const event of events) {
    if (event.user.username !== username || event.objectRef?.resource === undefined) continue;
    const grant = grants.find((candidate) => allows(candidate, event));
    if (event.annotations?.["authorization.k8s.io/decision"] === "forbid") missing.add(describe(asGrant(event)));
    else if (grant !== undefined) used.add(grant);
  }
  const unused = grants.filter((grant) => !used.has(grant)).map(describe);
  return { unused, missing: [...missing].sort() };
}

function allows(grant: Grant, event: AuditEvent): boolean {
  const asked = asGrant(event);
  return (
    grant.apiGroup === asked.apiGroup &&
    grant.resource === asked.resource &&
    grant.verb === asked.verb &&
    (grant.resourceName === undefined || grant.resourceName === asked.resourceName) &&
    (grant.namespace === undefined || grant.namespace === asked.namespace)
  );
}

function asGrant({ verb, objectRef = {} }: AuditEvent): Grant {
  const { apiGroup = "", resource = "", subresource, namespace, name } = objectRef;
  return {
    apiGroup,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    verb,
    ...(name === undefined ? {} : { resourceName: name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function describe({ apiGroup, resource, verb, resourceName, namespace }: Grant): string {
  const what = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  return `${verb} ${what}${resourceName === undefined ? "" : ` ${resourceName}`}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
