/** Local times of a time zone as instants, over changes of its clocks. Pure: the rules come with the program. */

export interface Zone {
  /** The local time at an instant, as if it were UTC, in milliseconds. */
  localAt(instant: number): number;
  /**
   * The instant of a local time (given as if it were UTC). Of two such instants, when clocks are set back, it is the first. A
   * time that clocks jump over becomes the one that they would have shown had they not been set.
   */
  instantOf(local: number): number;
}

const hour = 3_600_000;
const day = 24 * hour;

/** Undefined where there is no zone of this name. */
export function zoneOf(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" },
    });
  } catch {
    return undefined;
  }
  const localAt = (instant: number): number => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day: date = 1, hour: hours = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, date, hours, minute, second);
  };
  return {
    localAt,
    instantOf(local) {
      const offset = (instant: number) => localAt(instant) - instant;
      const before = offset(local - day);
      const after = offset(local + day);
      const fitting = [local - before, local - after].filter((instant) => localAt(instant) === local);
      return fitting.length > 0 ? Math.min(...fitting) : local - before;
    },
  };
}
