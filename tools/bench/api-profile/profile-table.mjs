// What was measured of each request, as a table.
import { sum } from '../measure/statistics.mjs';

const COLUMNS = ['gateway', 'wallet', 'policy', 'signer', 'prediction', 'history', 'swap', 'postgres'];
/** Less than a microsecond a request is what a service does by itself meanwhile. */
const NOTHING_US = 1;

/** One row a request: rate, latencies, and CPU by service; the first row is the bare side, which the others are multiples of. */
export function profileTable(title, rows) {
  const total = ({ byProcess }) => sum(Object.values(byProcess));
  const used = COLUMNS.filter((column) => rows.some(({ byProcess }) => (byProcess[column] ?? 0) >= NOTHING_US));
  const bareUs = total(rows[0]);
  const lines = rows.map((row) => [
    row.name,
    row.perSecond,
    ...[row.p50Ms, row.p99Ms].map((ms) => `${ms.toFixed(1)} ms`),
    total(row),
    `${(total(row) / bareUs).toFixed(1)} ×`,
    ...used.map((column) => cell(row.byProcess[column] ?? 0)),
  ]);
  return { title, rows: [['', 'a second', 'p50', 'p99', 'CPU µs', 'of bare', ...used], ...lines] };
}

const cell = (us) => (us < NOTHING_US ? '' : us);
