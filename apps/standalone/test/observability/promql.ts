/** What an expression asks of a metric, and what it groups by. */
export interface Asked {
  /** Names of metrics, each with the labels that its selectors name, and the values that they compare with. */
  readonly selectors: readonly Selector[];
  /** Labels of `by`, `on` and their like. */
  readonly grouping: readonly string[];
}

/** One use of a metric. */
export interface Selector {
  readonly metric: string;
  readonly labels: ReadonlyArray<{ readonly name: string; readonly operator: string; readonly value: string }>;
}

const FUNCTIONS: ReadonlySet<string> = new Set(
  'sum max min avg count topk rate irate increase delta absent histogram_quantile clamp_min vector time label_replace'.split(
    ' ',
  ),
);
const WORDS: ReadonlySet<string> = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf']);
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const MATCHERS = /\{((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}/g;
const MATCHER = /\s*(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/gy;

/**
 * Reads the PromQL that we write: no subqueries, no names in quotes. @throws Error for a word that is neither a function
 * nor a metric
 */
export function asked(expression: string): Asked {
  const grouping: string[] = [];
  const matchers: string[] = [];
  const rest = expression
    .replaceAll(MATCHERS, (_, inner: string) => `{${matchers.push(inner) - 1}}`)
    .replaceAll(GROUPING, (_, labels: string) => {
      grouping.push(...labels.split(',').flatMap((label) => label.trim() || []));
      return ' ';
    })
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b\d[\d.]*(?:[smhdw]|e\d+)?\b/g, (number) => (/[smhdw]$/.test(number) ? ' ' : number));
  const selectors: Selector[] = [];
  for (const [, word, call, index] of rest.matchAll(/([a-zA-Z_:][\w:]*)(\s*\()?(?:\{(\d+)\})?/g)) {
    if (WORDS.has(word!)) continue;
    if (call !== undefined) {
      if (!FUNCTIONS.has(word!)) throw new Error(`${word!} is not a function that we use: ${expression}`);
      continue;
    }
    selectors.push({ metric: word!, labels: index === undefined ? [] : labelsOf(matchers[Number(index)]!) });
  }
  if (selectors.length === 0 && !/\btime\b|\bvector\b/.test(expression)) throw new Error(`no metric in ${expression}`);
  return { selectors, grouping };
}

function labelsOf(matchers: string): Selector['labels'] {
  const read = [...matchers.matchAll(MATCHER)];
  if (read.map(([whole]) => whole).join('') !== matchers) throw new Error(`no matchers: {${matchers}}`);
  return read.map(([, name, operator, value]) => ({ name: name!, operator: operator!, value: value! }));
}
