import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import * as z from "zod";
import { audience } from "../../../src/worker/protocol.ts";
import { namespaceOfUser, notOfPod, notValid, otherAudience, TokenRefused, type TokenReviewer } from "./identity.ts";

/**
 * Tokens are verified here, with the keys that the API server publishes for it: an account that has Roles alone may not ask for a
 * TokenReview, and every service account may read these keys. A TokenReview also refuses a token whose pod or account is gone; the
 * authoriser reads the pod live for each call, and without its account no pod is made.
 */

/** Paths of the API server that Kubernetes' ClusterRole system:service-account-issuer-discovery opens to all service accounts. */
const discovery = "/.well-known/openid-configuration";
const keysPath = "/openid/v1/jwks";

/** Milliseconds after which the keys are read again, so that one which was withdrawn is not trusted for long. */
const kept = 300_000;
/** Milliseconds between two reads for tokens of unknown keys, which anybody can send. */
const apart = 10_000;
/** Seconds, as Kubernetes has it, between two machines' clocks. */
const clockTolerance = 60;
/** What the API server can sign with, and a server of another kind with the same protocol. No symmetric ones. */
const algorithms = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"];

const documentSchema = z.object({ issuer: z.string().min(1) });
const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
const claimsSchema = z.object({
  namespace: z.string().min(1),
  pod: z.object({ name: z.string().min(1), uid: z.string().min(1) }).optional(),
});

export interface TokenKeysOptions {
  /** Reads a path of the API server, which is trusted by its own certificate. Throws ClusterError. */
  read: (path: string) => Promise<unknown>;
  /** Namespaces whose pods are known. */
  namespaces: readonly string[];
  now: () => number;
}

export interface TokenKeys {
  review: TokenReviewer;
  /** Reads the keys, so that an account that may not learns of it before the first worker asks. */
  prepare(): Promise<void>;
}

export function createTokenKeys({ read, namespaces, now }: TokenKeysOptions): TokenKeys {
  let found: { at: number; issuer: string; keySet: ReturnType<typeof createLocalJWKSet> } | undefined;
  let reading: Promise<NonNullable<typeof found>> | undefined;

  async function readAgain(): Promise<NonNullable<typeof found>> {
    const [document, keys] = await Promise.all([read(discovery), read(keysPath)]);
    const { issuer } = documentSchema.parse(document);
    found = { at: now(), issuer, keySet: createLocalJWKSet(keysSchema.parse(keys)) };
    return found;
  }

  /** All who ask at the same time share one read. */
  function younger(than: number): Promise<NonNullable<typeof found>> {
    if (found !== undefined && now() - found.at < than) return Promise.resolve(found);
    reading ??= readAgain().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function verify(token: string, within: number): Promise<JWTPayload> {
    const { issuer, keySet } = await younger(within);
    const currentDate = new Date(now());
    const { payload } = await jwtVerify(token, keySet, {
      ...{ issuer, audience, algorithms, clockTolerance, currentDate },
      requiredClaims: ["exp", "sub"],
    });
    return payload;
  }

  async function claimsOf(token: string): Promise<JWTPayload> {
    try {
      return await verify(token, kept).catch((error: unknown) => {
        // The API server may have begun to sign with another.
        if (error instanceof errors.JWKSNoMatchingKey) return verify(token, apart);
        throw error;
      });
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      const isOther = error instanceof errors.JWTClaimValidationFailed && error.claim === "aud";
      throw new TokenRefused(isOther ? otherAudience : notValid);
    }
  }

  return {
    async review(token) {
      const claims = await claimsOf(token);
      const parsed = claimsSchema.safeParse(claims["kubernetes.io"]);
      const namespace = namespaceOfUser(claims.sub);
      if (!parsed.success || parsed.data.pod === undefined || namespace !== parsed.data.namespace)
        throw new TokenRefused(notOfPod);
      if (!namespaces.includes(namespace)) throw new TokenRefused("its namespace is not one of watchNamespaces");
      return { namespace, pod: parsed.data.pod.name, podUid: parsed.data.pod.uid };
    },
    async prepare() {
      await younger(kept);
    },
  };
}
