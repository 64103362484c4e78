/** One line of Prometheus' text format that carries a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const COMMENT = /^# (?:HELP|TYPE|UNIT) [a-z_][a-z0-9_]* ?.*$/i;
const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/i;
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/giy;

/** Reads Prometheus' text format. @throws Error for a line that is none of it */
export function readPrometheus(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !COMMENT.test(line))
    .map((line) => {
      const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
      const number = value === '+Inf' ? Infinity : Number(value);
      const read = [...labels.matchAll(LABEL)];
      const isWhole = read.map(([whole]) => whole).join('') === labels;
      if (name === undefined || Number.isNaN(number) || !isWhole) throw new Error(`no line of Prometheus: ${line}`);
      return { name, labels: Object.fromEntries(read.map(([, key, text]) => [key!, text!])), value: number };
    });
}
