import { chooseBy, dayAfter, money, two } from "./choose.ts";
import type { Table, Value } from "./table.ts";
import { adjectives, familyNames, givenNames, nouns, phrases, towns } from "./words.ts";

/** The record shop's rows, the same for both dialects and in every run. */

type Row = readonly Value[];

const many = { label: 40, musician: 220, style: 18, record: 450, clerk: 12, customer: 260, purchase: 900 };

const numbered = (count: number, row: (number: number) => Row): Row[] =>
  Array.from({ length: count }, (_, at) => row(at + 1));

export function shopTables(): Table[] {
  const choose = chooseBy(1_877_1206);
  const name = () => `${choose.of(givenNames)} ${choose.of(familyNames)}`;
  const tracks = [...sides(choose.between)];
  return [
    {
      name: "label",
      columns: ["label_no", "name", "founded"],
      counter: "label_no",
      rows: numbered(many.label, (number) => [
        number,
        `${choose.of(nouns)} \\ ${number} 'Records'`,
        choose.sometimes(0.2) ? null : dayAfter("1950-05-01", choose.below(20_000)),
      ]),
    },
    {
      name: "musician",
      columns: ["musician_no", "name", "alias_of", "about"],
      counter: "musician_no",
      rows: numbered(many.musician, (number) => [
        number,
        name(),
        // Some refer to a musician of a higher number: no order of the rows satisfies the key.
        number % 9 === 0 ? 1 + ((number * 31) % many.musician) : null,
        choose.sometimes(0.4) ? null : `${choose.of(phrases)}; ${choose.of(phrases)} `,
      ]),
    },
    {
      name: "style",
      columns: ["style_no", "name"],
      counter: "style_no",
      rows: numbered(many.style, (number) => [number, `${choose.of(adjectives)} ${number}`]),
    },
    {
      name: "record",
      columns: ["record_no", "label_no", "barcode", "title", "medium", "issued"].concat([
        "price",
        "weight",
        "used",
        "notes",
        "cover",
      ]),
      counter: "record_no",
      rows: numbered(many.record, (number) => [
        number,
        choose.between(1, many.label),
        4_000_000_000_000 + number * 7_919,
        `${choose.of(adjectives)} ${choose.of(nouns)} "${number}"`,
        choose.of(["vinyl", "cd", "tape"]),
        dayAfter("1962-03-01", choose.below(22_000)),
        money(choose.between(100, 9999)),
        choose.sometimes(0.1) ? null : choose.between(320, 6400) / 32,
        choose.sometimes(0.5),
        choose.sometimes(0.3)
          ? null
          : `{"cut": "${choose.of(towns)}", "runs": [1, 2.5, null, ${choose.sometimes(0.5)}]}`,
        number % 6 === 0 ? choose.bytes(400) : null,
      ]),
    },
    {
      name: "record_style",
      columns: ["record_no", "style_no"],
      rows: numbered(many.record, (number) => [number, 1 + (number % many.style)]),
    },
    {
      name: "track",
      columns: ["record_no", "side", "position", "title", "seconds"],
      rows: tracks.map((at) => [
        ...at,
        `${choose.of(nouns)} ${choose.of(["i", "I", "ı", "İ"])}`,
        choose.sometimes(0.05) ? null : choose.between(60, 900),
      ]),
    },
    {
      name: "performance",
      columns: ["record_no", "side", "position", "musician_no", "instrument"],
      rows: tracks.map((at, number) => [
        ...at,
        1 + ((number * 13) % many.musician),
        choose.of(["cello", "voice", "drums", "箏"]),
      ]),
    },
    {
      name: "clerk",
      columns: ["clerk_no", "name", "shift_from", "trained_by"],
      counter: "clerk_no",
      rows: numbered(many.clerk, (number) => [
        number,
        name(),
        `${two(7 + number)}:30:00.250000`,
        number === 1 ? null : Math.floor(number / 2),
      ]),
    },
    {
      name: "customer",
      columns: ["customer_no", "name", "city", "country", "email", "served_by"],
      counter: "customer_no",
      rows: numbered(many.customer, (number) => [
        number,
        name(),
        choose.sometimes(0.1) ? null : choose.of(towns),
        choose.of(["Česko", "Danmark", "日本"]),
        `listener+${number}@example.org`,
        choose.sometimes(0.2) ? null : choose.between(1, many.clerk),
      ]),
    },
    {
      name: "purchase",
      columns: ["purchase_no", "customer_no", "made", "total"],
      counter: "purchase_no",
      // The last twenty customers have no purchase.
      rows: numbered(many.purchase, (number) => [
        number * 3,
        choose.between(1, many.customer - 20),
        `${choose.day()} ${two(choose.below(24))}:${two(choose.below(60))}:07.${choose.between(100_001, 999_999)}`,
        money(choose.between(100, 50_000)),
      ]),
    },
    {
      name: "purchase_line",
      columns: ["purchase_no", "line", "record_no", "quantity", "price"],
      rows: numbered(many.purchase * 2, (number) => [
        Math.ceil(number / 2) * 3,
        1 + (number % 2),
        choose.between(1, many.record - 30),
        choose.between(1, 4),
        money(choose.between(100, 9999)),
      ]),
    },
    {
      name: "waiting",
      columns: ["customer_no", "record_no", "since"],
      rows: numbered(300, (number) => [1 + (number % many.customer), 1 + ((number * 7) % many.record), choose.day()]),
    },
  ];
}

/** Record, side and place of each track: three to five on the first side, three on the second. */
function* sides(between: (least: number, most: number) => number): Generator<[number, number, number]> {
  for (let record = 1; record <= many.record; record += 1) {
    const first = between(3, 5);
    for (let place = 1; place <= first + 3; place += 1)
      yield place <= first ? [record, 1, place] : [record, 2, place - first];
  }
}
