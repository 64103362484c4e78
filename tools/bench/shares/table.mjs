// Cells as a person reads them.

const HEADINGS =
  'scene | attackers | requests | lacked a share | failed otherwise | undecided | p50, ms | p99, ms | p99 to quiet | refused to attackers';

/** All cells in Markdown, with the reasons of failures below. */
export function sharesTable(cells) {
  const rows = cells.map((cell) => `| ${cellsOf(cell).join(' | ')} |`);
  const rule = HEADINGS.split(' | ').map((_, i) => (i === 0 ? '---' : '---:'));
  const reasons = cells.flatMap(reasonLines);
  return [`| ${HEADINGS} |`, `| ${rule.join(' | ')} |`, ...rows, '', ...reasons].join('\n');
}

/** Writes one cell as one line. */
export function cellText({ scene, attackers, requests, starved, failed, p50, p99, ratio, ...more }) {
  const beside = attackers === 0 ? 'quiet' : `beside ${attackers}`;
  const attacks = attackers === 0 ? '' : `; ${more.attacksRefused} of ${more.attacks} refused to attackers`;
  return (
    `${scene}, ${beside}: ${requests} requests, ${starved} lacked a share, ${failed} failed otherwise; ` +
    `p50 ${whole(p50)} ms, p99 ${whole(p99)} ms, ${times(ratio)}${attacks}`
  );
}

function cellsOf(cell) {
  const { scene, attackers, requests, starved, failed, undecided, p50, p99, ratio, attacks, attacksRefused } = cell;
  const refused = attackers === 0 ? '' : `${attacksRefused} of ${attacks}`;
  const counts = [attackers === 0 ? 'none' : attackers, requests, starved, failed, undecided];
  return [scene, ...counts, whole(p50), whole(p99), attackers === 0 ? '' : times(ratio), refused];
}

function reasonLines({ scene, attackers, reasons, attackReasons }) {
  const where = `${scene} beside ${attackers}`;
  return [
    ...Object.entries(reasons).map(([why, count]) => `- ${where}, victim: ${count} × ${why}`),
    ...Object.entries(attackReasons).map(([why, count]) => `- ${where}, attackers: ${count} × ${why}`),
  ];
}

const whole = (ms) => (Number.isFinite(ms) ? ms.toFixed(0) : '–');
const times = (ratio) => (Number.isFinite(ratio) ? `${ratio.toFixed(2)} ×` : '–');
