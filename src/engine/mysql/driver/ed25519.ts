import { createHash } from "node:crypto";

/**
 * MariaDB's `ed25519` login: an Ed25519 signature whose secret is SHA-512 of the password. The runtime's own Ed25519
 * starts from a 32-byte seed, so the curve is done here, as in RFC 8032. It is not constant in time: it runs once a
 * login, on the client's own machine.
 */

const p = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const mod = (a: bigint, m = p): bigint => ((a % m) + m) % m;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let b = mod(base), e = exponent; e > 0n; e >>= 1n, b = (b * b) % p) if (e & 1n) result = (result * b) % p;
  return result;
}
const inverse = (a: bigint): bigint => power(a, p - 2n);
const d = mod(-121665n * inverse(121666n));

/** Extended coordinates: x = X/Z, y = Y/Z, T = XY/Z. */
type Point = readonly [bigint, bigint, bigint, bigint];

function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = mod((y1 + x1) * (y2 + x2));
  const c = mod(2n * t1 * t2 * d);
  const dd = mod(2n * z1 * z2);
  const [e, f, g, h] = [b - a, dd - c, dd + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

const baseX = 15112221349535400772501151409588531511454012693041857206046113283949847762202n;
const baseY = 46316835694926478169428394003475163141307993866256225615783033603165251855960n;
const base: Point = [baseX, baseY, 1n, mod(baseX * baseY)];

function multiply(scalar: bigint): Point {
  let result: Point = [0n, 1n, 1n, 0n];
  let doubled = base;
  for (let s = scalar; s > 0n; s >>= 1n, doubled = add(doubled, doubled)) if (s & 1n) result = add(result, doubled);
  return result;
}

const little = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const bytes32 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse();

function encode([x, y, z]: Point): Buffer {
  const over = inverse(z);
  return bytes32(mod(y * over) | ((mod(x * over) & 1n) << 255n));
}

const sha512 = (...parts: Buffer[]): Buffer => createHash("sha512").update(Buffer.concat(parts)).digest();

/** The 64 bytes that answer the server's scramble. */
export function ed25519Response(password: string, scramble: Buffer): Buffer {
  const secret = sha512(Buffer.from(password));
  const clamped = Buffer.from(secret.subarray(0, 32));
  clamped[0] = (clamped[0] ?? 0) & 248;
  clamped[31] = ((clamped[31] ?? 0) & 63) | 64;
  const a = little(clamped);
  const publicKey = encode(multiply(a));
  const r = mod(little(sha512(secret.subarray(32), scramble)), order);
  const bigR = encode(multiply(r));
  const s = mod(r + mod(little(sha512(bigR, publicKey, scramble)), order) * a, order);
  return Buffer.concat([bigR, bytes32(s)]);
}
