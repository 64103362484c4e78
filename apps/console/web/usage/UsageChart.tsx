import { scaleLinear, scaleTime } from 'd3-scale';
import { area, curveStepAfter, line } from 'd3-shape';
import { showUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { UsagePoint } from './usage-curve.js';

const WIDTH = 480;
const HEIGHT = 220;
const EDGE = { top: 24, right: 12, bottom: 26, left: 12 } as const;
const DAY_MS = 86_400_000;
const TICKS = 5;
/** Half of a label's width, and the edge. */
const LABEL_HALF = 32;
const HEADROOM = 1.1;
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Returns the anchor of a label, so that none is cut at an edge. */
function anchorAt(x: number): 'start' | 'middle' | 'end' {
  if (x < LABEL_HALF) return 'start';
  return x > WIDTH - LABEL_HALF ? 'end' : 'middle';
}

interface UsageChartProps {
  readonly points: readonly UsagePoint[];
  readonly limitUsd: number;
}

/** Draws the curve as steps, below the limit. */
export function UsageChart({ points, limitUsd }: UsageChartProps) {
  const startMs = points[0]!.atMs;
  const endMs = startMs + DAY_MS;
  const x = scaleTime([startMs, endMs], [EDGE.left, WIDTH - EDGE.right]);
  const most = Math.max(limitUsd, points[0]!.usd, 1) * HEADROOM;
  const y = scaleLinear([0, most], [HEIGHT - EDGE.bottom, EDGE.top]);
  const shown = [...points, { ...points.at(-1)!, atMs: endMs }];
  const path = line<UsagePoint>(
    ({ atMs }) => x(atMs),
    ({ usd }) => y(usd),
  ).curve(curveStepAfter);
  const below = area<UsagePoint>(
    ({ atMs }) => x(atMs),
    y(0),
    ({ usd }) => y(usd),
  ).curve(curveStepAfter);
  return (
    <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={TEXTS.agent.usageChart}>
      <path className="area" d={below(shown) ?? ''} />
      <path className="line" d={path(shown) ?? ''} />
      <line className="limit" x1={EDGE.left} x2={WIDTH - EDGE.right} y1={y(limitUsd)} y2={y(limitUsd)} />
      <text x={WIDTH - EDGE.right} y={y(limitUsd) - 6} textAnchor="end">
        {TEXTS.agent.usageLimit(showUsd(limitUsd))}
      </text>
      <line className="axis" x1={EDGE.left} x2={WIDTH - EDGE.right} y1={y(0)} y2={y(0)} />
      {x.ticks(TICKS).map((time) => (
        <text key={time.getTime()} x={x(time)} y={HEIGHT - 8} textAnchor={anchorAt(x(time))}>
          {HOUR.format(time)}
        </text>
      ))}
    </svg>
  );
}
