/**
 * MySQL's CURRENT_TIMESTAMP(n) for a column with n digits: MySQL cuts off what has no place, where PostgreSQL rounds, half
 * of the time into the future. Half of the last digit's unit less rounds to what MySQL cuts to.
 */
export function presentTime(word: "CURRENT_TIMESTAMP" | "LOCALTIMESTAMP", digits: number): string {
  if (digits >= 6) return `${word}(6)`;
  if (digits === 0) return `date_trunc('second', ${word})`;
  if (digits === 3) return `date_trunc('milliseconds', ${word})`;
  return `(${word} - interval '0.${"0".repeat(digits)}5 seconds')`;
}
