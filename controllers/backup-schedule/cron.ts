/** A cron line with one minute and one hour, read into what it names. Pure. */

export interface DailyCron {
  minute: number;
  hour: number;
  /** Whether the line fires on this date; month 1 to 12, weekday 0 (Sunday) to 6. */
  firesOn(date: { day: number; month: number; weekday: number }): boolean;
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

interface Field {
  least: number;
  most: number;
  names?: readonly string[];
  /** Number of the first name. */
  first?: number;
}

const fields = {
  day: { least: 1, most: 31 },
  month: { least: 1, most: 12, names: months, first: 1 },
  // 7 is Sunday too.
  weekday: { least: 0, most: 7, names: weekdays, first: 0 },
} satisfies Record<string, Field>;

/** Undefined where a field is out of its range. The CRD's rule has refused any line with two firings on one date. */
export function parseCron(line: string): DailyCron | undefined {
  const [minute = "", hour = "", ...dates] = line.trim().split(/\s+/);
  if (dates.length !== 3 || !/^\d{1,2}$/.test(minute) || !/^\d{1,2}$/.test(hour)) return undefined;
  if (Number(minute) > 59 || Number(hour) > 23) return undefined;
  const [dayText = "", monthText = "", weekdayText = ""] = dates;
  const day = valuesOf(dayText, fields.day);
  const month = valuesOf(monthText, fields.month);
  const weekday = valuesOf(weekdayText, fields.weekday);
  if (!day || !month || !weekday) return undefined;
  if (weekday.has(7)) weekday.add(0);
  // As cron has always done: where both day fields are limited, a date that fits either of them fires.
  const either = !dayText.startsWith("*") && !weekdayText.startsWith("*");
  return {
    minute: Number(minute),
    hour: Number(hour),
    firesOn: (date) =>
      month.has(date.month) &&
      (either ? day.has(date.day) || weekday.has(date.weekday) : day.has(date.day) && weekday.has(date.weekday)),
  };
}

function valuesOf(text: string, field: Field): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [range = "", step = "1", ...rest] = part.split("/");
    if (rest.length > 0 || !/^\d{1,2}$/.test(step) || Number(step) === 0) return undefined;
    const bounds = boundsOf(range, field, part.includes("/"));
    if (bounds === undefined) return undefined;
    for (let value = bounds.from; value <= bounds.to; value += Number(step)) values.add(value);
  }
  return values;
}

function boundsOf(range: string, field: Field, stepped: boolean): { from: number; to: number } | undefined {
  if (range === "*") return { from: field.least, to: field.most };
  const [low = "", high, ...rest] = range.split("-");
  const from = numberOf(low, field);
  // `5/10` means from 5 to the end.
  const to = high === undefined ? (stepped ? field.most : from) : numberOf(high, field);
  if (rest.length > 0 || from === undefined || to === undefined || from > to) return undefined;
  return { from, to };
}

function numberOf(text: string, { least, most, names, first = 0 }: Field): number | undefined {
  const named = names?.indexOf(text.toUpperCase()) ?? -1;
  const value = named >= 0 ? named + first : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}
