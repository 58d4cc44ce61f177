import { type Choose, chooseBy, dayAfter, money, two } from "./choose.ts";
import type { Table, Value } from "./table.ts";
import { adjectives, familyNames, givenNames, nouns, phrases, towns } from "./words.ts";

/** The film rental's rows, the same for both dialects and in every run. */

const many = { place: 60, branch: 6, employee: 40, member: 520, film: 600, genre: 14, person: 240, disc: 1300 };
const loans = 2400;

type Row = readonly Value[];

const numbered = (count: number, row: (number: number) => Row): Row[] =>
  Array.from({ length: count }, (_, at) => row(at + 1));

const placeOf = (number: number): [country: string, postcode: string] => [
  ["DK", "CZ", "PT", "PL", "VN", "JP"][number % 6] as string,
  String(10_000 + number * 37),
];
/** Every sixth employee is a branch's chief: 6, 12, … 36. */
const chiefOf = (branch: number) => branch * 6;
const branchOf = (number: number) => 1 + (number % many.branch);

export function rentalTables(): Table[] {
  const choose = chooseBy(20_240_229);
  const name = () => `${choose.of(givenNames)} ${choose.of(familyNames)}`;
  const films = numbered(many.film, (number) => film(choose, number));
  const discs = numbered(many.disc, (number) => {
    const format = choose.sometimes(0.6) ? "dvd" : choose.of(["blu-ray", "tape"]);
    // The last fifty films have no disc.
    return [number, choose.between(1, many.film - 50), branchOf(choose.below(60)), format, choose.day()];
  });
  const lent = [...lendings(choose, discs)];
  return [
    {
      name: "place",
      columns: ["country", "postcode", "name", "position"],
      rows: numbered(many.place, (number) => [
        ...placeOf(number),
        `${choose.of(towns)} ${number}`,
        { point: [choose.between(-180, 180) / 4, choose.between(-90, 90) / 8] },
      ]),
    },
    {
      name: "branch",
      columns: ["branch_no", "name", "chief", "country", "postcode", "opens"],
      counter: "branch_no",
      rows: numbered(many.branch, (number) => [
        number,
        `${towns[number]} Reels`,
        chiefOf(number),
        ...placeOf(number * 3),
        `${two(7 + number)}:30:00`,
      ]),
    },
    {
      name: "employee",
      columns: ["employee_no", "name", "branch_no", "boss", "skills", "photo", "secret", "hired", "active"],
      counter: "employee_no",
      rows: numbered(many.employee, (number) => [
        number,
        name(),
        branchOf(number),
        number <= 3 ? null : Math.ceil(number / 4),
        { set: ["till", "repair", "search", "first aid"].filter((_, bit) => (number >> bit) % 2 === 1) },
        number % 5 === 0 ? choose.bytes(900) : null,
        choose.bytes(32),
        choose.day(),
        number % 7 !== 0,
      ]),
    },
    {
      name: "member",
      columns: memberColumns,
      counter: "member_no",
      rows: numbered(many.member, (n) => member(choose, n)),
    },
    { name: "film", columns: filmColumns, counter: "film_no", rows: films },
    {
      name: "genre",
      columns: ["genre_no", "name"],
      counter: "genre_no",
      rows: numbered(many.genre, (number) => [
        number,
        `${adjectives[number % 10]} ${number < 9 ? "drama" : "Drama"} ${number}`,
      ]),
    },
    { name: "film_genre", columns: ["film_no", "genre_no"], rows: filmGenres() },
    {
      name: "person",
      columns: ["person_no", "name", "born", "changed"],
      counter: "person_no",
      rows: numbered(many.person, (number) => [
        number,
        name(),
        choose.sometimes(0.2) ? null : choose.between(1901, 2004),
        `${choose.day()} 12:00:00`,
      ]),
    },
    { name: "credit", columns: ["film_no", "person_no", "job", "place"], rows: credits() },
    { name: "disc", columns: ["disc_no", "film_no", "branch_no", "format", "bought"], counter: "disc_no", rows: discs },
    {
      name: "loan",
      columns: ["loan_no", "branch_no", "disc_no", "member_no", "employee_no", "taken", "returned"],
      counter: "loan_no",
      rows: lent,
    },
    {
      name: "payment",
      columns: ["payment_no", "loan_no", "member_no", "amount", "paid"],
      counter: "payment_no",
      rows: lent.map(([loan, , , who], at) => [
        at + 1,
        at % 40 === 0 ? null : (loan ?? null),
        who ?? null,
        money(choose.between(50, 2500)),
        `${choose.day()} ${two(choose.below(24))}:${two(choose.below(60))}:00`,
      ]),
    },
    ...besides(choose),
  ];
}

const memberColumns = ["member_no", "given_name", "family_name", "email", "branch_no", "country", "postcode"].concat([
  "level",
  "wishes",
  "born",
  "joined",
  "seen",
  "active",
]);

function member(choose: Choose, number: number): Row {
  const joined = choose.day();
  const wishes = { genre: choose.of(adjectives), years: [choose.between(1950, 1999), choose.between(2000, 2025)] };
  // Keys ordered by length, as jsonb and MySQL's JSON write them.
  const written = `{"genre": "${wishes.genre}", "years": [${wishes.years.join(", ")}]}`;
  return [
    number,
    choose.of(givenNames),
    choose.of(familyNames),
    number % 50 === 0 ? null : `Reader.${number}@example.com`,
    branchOf(choose.below(600)),
    ...placeOf(choose.between(1, many.place)),
    choose.of(["plain", "plain", "silver", "gold"]),
    choose.sometimes(0.3) ? null : written,
    choose.sometimes(0.1) ? null : dayAfter("1940-01-01", choose.below(25_000)),
    `${joined} ${two(choose.below(24))}:15:00`,
    choose.sometimes(0.2) ? null : `${dayAfter(joined, choose.below(90))} 20:00:00.${choose.between(100, 999)}`,
    choose.sometimes(0.9),
  ];
}

const filmColumns = ["film_no", "title", "plot", "made", "language", "minutes", "day_price", "days"].concat([
  "from_age",
  "extras",
  "sequel_to",
  "changed",
]);

function film(choose: Choose, number: number): Row {
  const part = choose.sometimes(0.1) ? ` ${choose.between(2, 9)}` : "";
  const plot = Array.from({ length: choose.between(3, 12) }, () => choose.of(phrases)).join(" meets ");
  const extras = ["trailer", "comments", "cut scenes", "making of"].filter(() => choose.sometimes(0.4));
  return [
    number,
    `The ${choose.of(adjectives)} ${choose.of(nouns)}${part}`,
    choose.sometimes(0.05) ? null : plot,
    choose.sometimes(0.05) ? null : choose.between(1901, 2025),
    choose.of(["en", "da", "ja", "cs"]),
    choose.sometimes(0.03) ? null : choose.between(40, 210),
    money(choose.between(50, 600)),
    choose.between(1, 7),
    choose.sometimes(0.05) ? null : choose.of(["0", "6", "12", "16", "18"]),
    choose.sometimes(0.1) ? null : { set: extras },
    number > 20 && choose.sometimes(0.1) ? number - choose.between(1, 20) : null,
    `${choose.day()} 06:30:00`,
  ];
}

/** One or two different genres for each film. */
function* filmGenres(): Generator<Row> {
  for (let number = 1; number <= many.film; number += 1) {
    yield [number, 1 + (number % many.genre)];
    if (number % 2 === 0) yield [number, 1 + ((number + 5) % many.genre)];
  }
}

/** Three people for each film. */
function* credits(): Generator<Row> {
  for (let number = 1; number <= many.film; number += 1) {
    yield [number, 1 + ((number * 7) % many.person), "director", 1];
    yield [number, 1 + ((number * 11 + 3) % many.person), "cast", 1];
    yield [number, 1 + ((number * 17 + 8) % many.person), number % 9 === 0 ? "music" : "cast", 2];
  }
}

/** A disc has at most one open loan. */
function* lendings(choose: Choose, discs: readonly Row[]): Generator<Row> {
  const out = new Set<Value>();
  for (let number = 1; number <= loans; ) {
    const [disc, , branch] = choose.of(discs);
    if (disc === undefined || branch === undefined || out.has(disc)) continue;
    const day = choose.day();
    const taken = `${day} ${two(choose.between(9, 20))}:${two(choose.below(60))}:00.${choose.between(100, 999)}`;
    const returned = choose.sometimes(0.08) ? null : `${dayAfter(day, choose.between(1, 9))} 10:00:00.000`;
    if (returned === null) out.add(disc);
    yield [number, branch, disc, choose.between(1, many.member), choose.between(1, many.employee), taken, returned];
    number += 1;
  }
}

/** Tables that are split into partitions. */
function besides(choose: Choose): Table[] {
  return [
    {
      name: "till_entry",
      columns: ["entry_no", "day", "cents", "remark"],
      rows: numbered(730, (number) => [
        number,
        dayAfter("2023-07-01", number),
        choose.between(-5000, 90_000),
        choose.sometimes(0.5) ? null : choose.of(phrases),
      ]),
    },
    {
      name: "stock_move",
      columns: ["move_no", "kind", "disc_no"],
      rows: numbered(400, (number) => [number, choose.between(1, 4), choose.between(1, many.disc)]),
    },
    {
      name: "page_visit",
      columns: ["visit_no", "path", "took"],
      rows: numbered(500, (number) => [number, `/film/${choose.below(600)}`, choose.below(4000) / 8]),
    },
  ];
}
