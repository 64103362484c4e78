import { scaleLinear, scaleTime } from 'd3-scale';
import { area, curveStepAfter, line } from 'd3-shape';
import type { ReactNode } from 'react';
import { showUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { UsagePoint } from './usage-curve.js';
import type { UsageHour } from './usage-hours.js';

const WIDTH = 480;
const HEIGHT = 220;
const EDGE = { top: 24, right: 12, bottom: 26, left: 12 } as const;
const DAY_MS = 86_400_000;
const TICKS = 5;
/** Half of a label's width, and the edge. */
const LABEL_HALF = 32;
const HEADROOM = 1.1;
const BAR_GAP = 3;
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Returns the anchor of a label, so that none is cut at an edge. */
function anchorAt(x: number): 'start' | 'middle' | 'end' {
  if (x < LABEL_HALF) return 'start';
  return x > WIDTH - LABEL_HALF ? 'end' : 'middle';
}

interface Scales {
  readonly x: (atMs: number) => number;
  readonly y: (usd: number) => number;
}

interface FrameProps {
  readonly label: string;
  readonly times: readonly [startMs: number, endMs: number];
  readonly mostUsd: number;
  readonly limitUsd: number;
  readonly children: (scales: Scales) => ReactNode;
}

/** Draws the axis of time and the limit around what a chart shows. */
function Frame({ label, times, mostUsd, limitUsd, children }: FrameProps) {
  const x = scaleTime(times, [EDGE.left, WIDTH - EDGE.right]);
  const most = Math.max(limitUsd, mostUsd, 1) * HEADROOM;
  const y = scaleLinear([0, most], [HEIGHT - EDGE.bottom, EDGE.top]);
  return (
    <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {children({ x, y })}
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

interface HourChartProps {
  readonly hours: readonly UsageHour[];
  readonly limitUsd: number;
}

/** Draws what was used in each hour of the last day as bars, below the limit. */
export function HourChart({ hours, limitUsd }: HourChartProps) {
  const mostUsd = Math.max(...hours.map(({ usd }) => usd));
  const times = [hours[0]!.fromMs, hours.at(-1)!.toMs] as const;
  return (
    <Frame label={TEXTS.agent.usageChart} times={times} mostUsd={mostUsd} limitUsd={limitUsd}>
      {({ x, y }) =>
        hours
          .filter(({ usd }) => usd > 0)
          .map(({ fromMs, toMs, usd }) => {
            // The least bar can be seen beside a high limit.
            const top = Math.min(y(usd), y(0) - 2);
            const width = x(toMs) - x(fromMs) - BAR_GAP;
            return <rect key={fromMs} className="bar" x={x(fromMs)} y={top} width={width} height={y(0) - top} />;
          })
      }
    </Frame>
  );
}

interface FreesChartProps {
  readonly points: readonly UsagePoint[];
  readonly limitUsd: number;
}

/** Draws what still counts over the next day as steps, below the limit. */
export function FreesChart({ points, limitUsd }: FreesChartProps) {
  const startMs = points[0]!.atMs;
  const endMs = Math.max(startMs + DAY_MS, points.at(-1)!.atMs);
  const shown = [...points, { ...points.at(-1)!, atMs: endMs }];
  const times = [startMs, endMs] as const;
  return (
    <Frame label={TEXTS.agent.freesChart} times={times} mostUsd={points[0]!.usd} limitUsd={limitUsd}>
      {({ x, y }) => {
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
          <>
            <path className="area" d={below(shown) ?? ''} />
            <path className="line" d={path(shown) ?? ''} />
          </>
        );
      }}
    </Frame>
  );
}
