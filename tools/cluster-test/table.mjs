// What was checked and what was seen.

/** Rows of checks, printed as they come. */
export class Table {
  rows = [];

  constructor(say = console.log) {
    this.say = say;
  }

  /** Notes one check. */
  add(check, { ok, seen }, seconds = 0) {
    const row = { check, seen: String(seen), ok, seconds };
    this.rows.push(row);
    this.say(`${ok ? 'ok    ' : 'FAILED'}  ${check}: ${row.seen} (${seconds.toFixed(1)} s)`);
  }

  /** Does something and notes what it resolves to, `{ ok, seen }`; a failure of the doing fails the check. */
  async check(name, work) {
    const startedAtMs = performance.now();
    let result;
    try {
      result = await work();
    } catch (error) {
      result = { ok: false, seen: error.message.replaceAll(/\s+/g, ' ').slice(0, 600) };
    }
    this.add(name, result, (performance.now() - startedAtMs) / 1_000);
    return result;
  }

  get isGood() {
    return this.rows.length > 0 && this.rows.every(({ ok }) => ok);
  }

  /** All of it in Markdown. */
  toString() {
    const cell = (text) => text.replaceAll('|', '\\|');
    const lines = this.rows.map(
      ({ check, seen, ok, seconds }) =>
        `| ${cell(check)} | ${cell(seen)} | ${ok ? 'ok' : '**FAILED**'} | ${seconds > 0 ? seconds.toFixed(1) : ''} |`,
    );
    return ['| Check | What was seen | Result | Seconds |', '| --- | --- | --- | ---: |', ...lines].join('\n');
  }
}

/** `{ ok, seen }` of a list of what is wrong. */
export function nothingIn(wrong, seen) {
  return wrong.length === 0
    ? { ok: true, seen }
    : { ok: false, seen: `${wrong.length}: ${wrong.slice(0, 5).join('; ')}` };
}
