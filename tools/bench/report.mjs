// Results as a person reads them.

/** Whether everything that was checked held. */
export function isCorrect(results) {
  return results.every(({ checks }) => checks.every(({ ok }) => ok));
}

/** All results as one text. */
export function reportOf({ machine, results }) {
  return [machineText(machine), ...results.map(resultText)].join('\n');
}

/** A machine that is busy with something else is said to be: even ratios suffer. */
function machineText({ cpus, model, node, load }) {
  const busy = load > cpus / 2 ? `; it was busy (load ${number(load)}), so read every figure with care` : '';
  return `\nMeasured with Node ${node} on ${cpus} × ${model}${busy}.`;
}

function resultText({ name, notes, figures, tables, checks }) {
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
