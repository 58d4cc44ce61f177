/** Names and texts in several scripts, with characters that SQL must escape. */

export const givenNames = [
  "Anna",
  "anna",
  "Björn",
  "Zoë",
  "Łukasz",
  "太郎",
  "小红",
  "Олена",
  "Ιωάννα",
  "محمد",
  "Nguyễn",
  "अनन्या",
  "O'Neil",
  "Émile",
  "José",
  "Åse",
];

export const familyNames = [
  "Lindqvist",
  "Okafor",
  "de la Cruz",
  "Müller-Lüdenscheidt",
  "MacAodh",
  "Ñuñez",
  "van 't Hoff",
  "Şahin",
  "Kovács",
  "Ó Briain",
  "ÆØÅ",
  "Strauß",
];

export const towns = ["Aarhus", "Brno", "Coimbra", "Dębno", "Évora", "Fürth", "Gdańsk", "Hội An", "İzmir", "京都"];

export const adjectives = ["Silent", "Crooked", "Blue", "Last", "Über", "Hollow", "Naïve", "Second", "Paper", "Frozen"];

export const nouns = [
  "Lantern",
  "Harbour",
  "Clockwork",
  "Orchard",
  "Señor",
  "Tunnel",
  "Mirror",
  "Ferry",
  "Winter",
  "Cello",
];

/** For plots and notes: quotes, backslashes, line breaks and characters beyond U+FFFF among plain words. */
export const phrases = [
  "a ferryman who cannot swim",
  'somebody\'s "lost" letter',
  "C:\\films\\reel\n",
  "the lantern in the harbour",
  "100% of nothing; -- not a comment",
  "🎬 take two 👩‍👩‍👧",
  "tab\tand\ttab",
  "été à la campagne",
  "日本の夏",
  "a clock that runs backwards",
  "'quoted'",
  "$1 and $$ and %s",
];
