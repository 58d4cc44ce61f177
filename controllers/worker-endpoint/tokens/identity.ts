/** Whose token it is, as the API server says. */
export interface PodIdentity {
  namespace: string;
  pod: string;
  podUid: string;
}

/** Answers whose token it is. Throws a TokenRefused where it is not a worker's, anything else where that is not known now. */
export type TokenReviewer = (token: string) => Promise<PodIdentity>;

export class TokenRefused extends Error {
  constructor(why: string) {
    super(`the token is not a worker's: ${why}`);
    this.name = "TokenRefused";
  }
}

export const notValid = "it is not valid here";
export const otherAudience = "it is for another audience";
export const notOfPod = "it is not bound to a pod";

/** The namespace in the name of a service account's user; undefined for another user. */
export const namespaceOfUser = (user: string | undefined): string | undefined =>
  /^system:serviceaccount:([^:]+):[^:]+$/.exec(user ?? "")?.[1];
