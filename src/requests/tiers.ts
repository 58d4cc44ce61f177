/** The tiers of limits, keyed on the token's owner (interface.md, section 8). The chart's values have these as defaults. */
export interface RateWindow {
  points: number;
  seconds: number;
}

export const tiers = {
  ai: [
    { points: 10, seconds: 60 },
    { points: 200, seconds: 86_400 },
  ],
  probe: [{ points: 20, seconds: 60 }],
  read: [{ points: 300, seconds: 60 }],
  write: [{ points: 60, seconds: 60 }],
  minting: [{ points: 10, seconds: 3600 }],
} as const satisfies Record<string, readonly RateWindow[]>;

export type Tier = keyof typeof tiers;

/** Searches of the documentation, which need no token, from one address (one /64 of IPv6). */
export const searches = [{ points: 30, seconds: 60 }] as const satisfies readonly RateWindow[];

/** Messages to the MCP servers that are in no tier, as initialize and ping are: they cost little, and are bounded by this. */
export const handshakes = [{ points: 300, seconds: 60 }] as const satisfies readonly RateWindow[];
