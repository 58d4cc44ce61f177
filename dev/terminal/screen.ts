// The rows of running steps, redrawn below the finished lines on a terminal; plain lines elsewhere.

export type Row = {
  bar(done: number, total: number, unit: string): void;
  note(words: string): void;
  /** Replaces the row by its last line. */
  end(line: string): void;
};

export type Screen = { begin(name: string): Row; line(text: string): void; close(): void };

export type ScreenOptions = {
  write: (text: string) => void;
  width: () => number;
  interactive: boolean;
  now: () => number;
};

type State = {
  name: string;
  note: string;
  bar: { done: number; total: number; unit: string } | null;
  start: number;
  said: number;
};

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const redrawEvery = 120;
// Without a terminal a step says that it is running after two seconds, and how far it is every ten.
const plainFirst = 2_000;
const plainEvery = 10_000;

/** `[#####     ] 5/10 MB` with whole numbers; `done` beyond `total` counts as all. */
export const drawBar = (done: number, total: number, unit: string, cells = 20): string => {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const full = Math.round(share * cells);
  const words = `${Math.round(done)}/${Math.round(total)}${unit === "" ? "" : ` ${unit}`}`;
  return `[${"#".repeat(full)}${" ".repeat(cells - full)}] ${words}`;
};

const describeRow = (row: State): string =>
  [row.name, row.note, row.bar === null ? "" : drawBar(row.bar.done, row.bar.total, row.bar.unit)]
    .filter(Boolean)
    .join("  ");

export const openScreen = ({ write, width, interactive, now }: ScreenOptions): Screen => {
  const rows = new Set<State>();
  let drawn = 0;
  let timer: NodeJS.Timeout | undefined;

  const erase = (): void => {
    if (drawn > 0) write(`\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  };
  const draw = (): void => {
    if (!interactive) return;
    const frame = frames[Math.floor(now() / redrawEvery) % frames.length] ?? "";
    for (const row of rows) {
      const age = `${Math.floor((now() - row.start) / 1000)} s`;
      write(`${`${frame} ${describeRow(row)}  ${age}`.slice(0, Math.max(10, width() - 1))}\n`);
      drawn += 1;
    }
  };
  const line = (text: string): void => {
    erase();
    write(`${text}\n`);
    draw();
  };
  const tick = (): void => {
    if (interactive) {
      erase();
      draw();
      return;
    }
    for (const row of rows) {
      const due = row.said === 0 ? now() - row.start >= plainFirst : row.bar !== null && now() - row.said >= plainEvery;
      if (!due) continue;
      row.said = now();
      write(`… ${describeRow(row)}\n`);
    }
  };
  const close = (): void => {
    clearInterval(timer);
    timer = undefined;
    erase();
    rows.clear();
  };

  const begin = (name: string): Row => {
    const row: State = { name, note: "", bar: null, start: now(), said: 0 };
    rows.add(row);
    timer ??= setInterval(tick, interactive ? redrawEvery : 1_000).unref();
    tick();
    return {
      bar: (done, total, unit) => {
        row.bar = { done, total, unit };
      },
      note: (words) => {
        row.note = words;
      },
      end: (text) => {
        erase();
        rows.delete(row);
        write(`${text}\n`);
        draw();
        if (rows.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
    };
  };

  return { begin, line, close };
};
