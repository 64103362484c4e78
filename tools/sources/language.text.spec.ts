import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { filesBelow, read } from './repository.js';
import { joinLines, textsOf } from './source-texts.js';

/** Words that docs/glossary.md replaces; each is a pattern for whole words. */
const OLD_WORDS = [
  'somebody|nobody|everybody|anybody|whoever|whatever',
  'told|foresee\\w*|foresaw|anew|put back|in hand|of late|of ours|all the same',
  'passcodes?|(?<!order )books',
  '(?<!there )is no (?!longer\\b|more\\b|less\\b)\\w+',
  '(?:a|one|two|each|every|next|last|complete) looks?',
  'the outside(?! of)|outside world',
].join('|');
const OLD_WORD = new RegExp(`(?<![\\w-])(?:${OLD_WORDS})(?![\\w-])`, 'gi');

const MAX_WORDS = 30;
/** Printed results of tools, with long lists. */
const RESULTS = ['docs/soak.md', 'docs/cluster-test.md'];

const files = filesBelow('.');
const pages = files.filter((file) => file.endsWith('.md'));
const sources = files.filter(
  (file) => /\.(ts|mjs|cjs|sql|proto|ya?ml)$/.test(file) && file !== 'tools/sources/language.text.spec.ts',
);

interface Alert {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface RuleFile {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Alert | { readonly record: string }> }>;
}

const alerts = (parse(read('deploy/observability/alerts.yaml')) as RuleFile).groups
  .flatMap(({ rules }) => rules)
  .filter((rule) => 'alert' in rule);

/** A page without code, link targets and emphasis. */
function proseOf(page: string): string {
  return page
    .replaceAll(/```[^]*?```/g, '. ')
    .replaceAll(/^ {4}.*$/gm, '')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\*\*|<!--[^]*?-->/g, '');
}

/** Old words of a text. */
const oldWordsOf = (text: string) => text.replaceAll(/\s+/g, ' ').match(OLD_WORD) ?? [];

/** Old words in comments and literals of a source file, as `file:line: word`. A literal of one word is a name. */
function oldWordsIn(file: string, source: string): string[] {
  // Parses only the few files that have such a word, if only in an identifier.
  if (oldWordsOf(joinLines(source)).length === 0) return [];
  return textsOf(file, source).flatMap(({ line, text }) => {
    const prose = joinLines(text).replaceAll(/`[^`]*`/g, 'code');
    return prose.includes(' ') ? oldWordsOf(prose).map((word) => `${file}:${line}: ${word}`) : [];
  });
}

/** Sentences with too many words, without tables and headings. */
function longSentencesOf(text: string): string[] {
  const paragraphs = text.replaceAll(/^(\||#).*$/gm, '. ').split(/\n\n+|\n(?= *(?:-|\d+\.) )/);
  const sentences = paragraphs.flatMap((paragraph) => paragraph.replaceAll(/\s+/g, ' ').split(/[.:;?!](?= |$)/));
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence.split(' ').length > MAX_WORDS);
}

describe('the language of', () => {
  it.each(pages)('%s is the glossary’s, in short sentences', (page) => {
    const prose = proseOf(read(page));
    expect(oldWordsOf(prose)).toEqual([]);
    if (!RESULTS.includes(page)) expect(longSentencesOf(prose)).toEqual([]);
  });

  it.each(alerts.map((alert) => [`${alert.alert} (${alert.labels.severity})`, alert.annotations] as const))(
    'alert %s states the symptom and the first action',
    (_, { summary, description }) => {
      expect(summary.length).toBeLessThan(70);
      expect(oldWordsOf(`${summary} ${description}`)).toEqual([]);
      expect(description).toMatch(/\.$/);
      expect(longSentencesOf(description)).toEqual([]);
    },
  );

  it.each(files.filter((file) => /^deploy\/observability\/dashboards\/.*\.json$/.test(file)))(
    'dashboard %s is the glossary’s',
    (file) => {
      const texts = [...read(file).matchAll(/"(?:title|description|legendFormat|label)": "([^"]*)"/g)];
      expect(texts.length).toBeGreaterThan(5);
      expect(texts.flatMap(([, text]) => oldWordsOf(text!))).toEqual([]);
    },
  );

  it('a sentence with an old word or too many words is rejected', () => {
    expect(oldWordsOf('It is told anew, and the books are\nput back.')).toEqual(['told', 'anew', 'books', 'put back']);
    expect(oldWordsOf('An order book is no longer open; order books, bookkeeping and untold.')).toEqual([]);
    expect(longSentencesOf(`${'word '.repeat(31)}. Short.`)).toHaveLength(1);
    expect(longSentencesOf(`${'word '.repeat(30)}. Short.`)).toEqual([]);
  });
});

describe('comments, literals and titles in source', () => {
  it('are the glossary’s', () => {
    expect(sources.flatMap((file) => oldWordsIn(file, read(file)))).toEqual([]);
  });

  it('are rejected with an old word, across lines and beside code', () => {
    const module = [
      '/** Anew. `told` is',
      " * no code. */ const told = [/it's/, 'told', `${told} told`]; // Put",
      '// back.',
      "it('is told', () => {});",
      'it.each([[`of ${told}',
      "  late`]])('%s', () => {}); // It's whatever.",
    ].join('\n');
    const found = ['1: Anew', '1: is no code', '2: told', '2: Put back', '4: told', '6: whatever'];
    expect(oldWordsIn('a.ts', module)).toEqual(found.map((place) => `a.ts:${place}`));
    expect(oldWordsIn('a.mjs', module)).toHaveLength(found.length);
    const sql = "select 'is told'; -- It's put\n  -- back.\nselect told, 'told';";
    expect(oldWordsIn('a.sql', sql)).toEqual(['a.sql:1: told', 'a.sql:1: put back']);
    expect(oldWordsIn('a.proto', 'string told = 1; // Is\n// told.')).toEqual(['a.proto:1: told']);
    expect(oldWordsIn('a.yml', 'told: a#told\n# Is\n  # told.')).toEqual(['a.yml:2: told']);
  });
});
