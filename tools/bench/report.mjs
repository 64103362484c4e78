// Results as a person reads them.
import { median, percentile, sum } from './measure/pairs.mjs';

/** Whether everything that was checked held. */
export function isCorrect(results) {
  return results.every(({ checks }) => checks.every(({ ok }) => ok));
}

/** A machine that is busy with something else is said to be: even ratios suffer. */
export function machineText({ cpus, model, node, load }) {
  const busy = load > cpus / 2 ? `; it was busy (load ${number(load)}), so read every figure with care` : '';
  return `\nMeasured with Node ${node} on ${cpus} × ${model}${busy}.`;
}

/** One result as text. */
export function resultText({ name, notes, figures, tables, checks }) {
  return [
    `\n${name}: ${notes}`,
    ...figures.map(figureLine),
    ...tables.map(({ title, rows }) => `\n  ${title}\n${tableText(rows)}`),
    `\n${checksText(checks)}`,
  ].join('\n');
}

function figureLine(figure) {
  const { name, value, ratio, ratios, limit, product, unit, aim, met } = figure;
  const verdict = aim ? `, ${aimText(aim)}: ${met ? 'met' : 'MISSED'}` : '';
  if (value !== undefined) return `  ${name}: ${value} ${unit}${verdict}`;
  const spread = ratios ? ` (${number(Math.min(...ratios))}–${number(Math.max(...ratios))})` : '';
  return `  ${name}: ${number(ratio)} ×${spread}${verdict}; ${whole(product)} against ${whole(limit)} ${unit}`;
}

function aimText({ atMost, atLeast }) {
  return atMost !== undefined ? `aim ≤ ${atMost}` : `aim ≥ ${atLeast}`;
}

function checksText(checks) {
  const wrong = checks.filter(({ ok }) => !ok);
  if (wrong.length === 0) return `  correct: ${[...new Set(checks.map(({ name }) => name))].join('; ')}`;
  return wrong.map(({ name, found, expected }) => `  WRONG ${name}: ${found} instead of ${expected}`).join('\n');
}

/** Which process spends how much, the greatest first. */
export function processTable(rounds, of) {
  const names = [...new Set(rounds.flatMap(({ byProcess }) => Object.keys(byProcess)))];
  const all = names.map((name) => [name, median(rounds.map(({ byProcess }) => byProcess[name] ?? 0))]);
  const total = sum(all.map(([, us]) => us));
  const rows = all
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, us]) => [name, us, `${((100 * us) / total).toFixed(0)} %`]);
  return { title: `where the CPU goes, µs ${of}`, rows: [['', 'µs', 'share'], ...rows] };
}

/** What the bare parts of something cost: each by itself, and as often as it is needed. */
export function partTable(parts, rounds, of) {
  const usOf = (i) => median(rounds.map(({ each }) => each[i]));
  const rows = parts.map(({ name, times }, i) => [name, times.toFixed(0), usOf(i), times * usOf(i)]);
  const all = ['all of them', '', '', sum(rows.map(([, , , us]) => us))];
  return { title: `bare parts of ${of}`, rows: [['', 'times', 'µs each', 'µs'], ...rows, all] };
}

/** Latencies in ms of both sides: medians over their rounds. */
export function latencyTable(limitRounds, productRounds, [limit, product] = ['bare client', 'product']) {
  const row = (name, rounds) => [
    name,
    ...[0.05, 0.5, 0.9, 0.99].map((share) => median(rounds.map((latencies) => percentile(latencies, share)))),
  ];
  const rows = [['', 'p5', 'p50', 'p90', 'p99'], row(limit, limitRounds), row(product, productRounds)];
  return { title: 'latency, ms', rows };
}

/** Rows of cells: the first is text, the others numbers or text, right-aligned. */
function tableText(rows) {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? whole(cell) : cell)));
  const widths = texts[0].map((_, column) => Math.max(...texts.map((row) => row[column].length)));
  return texts
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '))
    .map((line) => `    ${line}`)
    .join('\n');
}

const number = (value) => value.toFixed(2);
const whole = (value) => (Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0));
