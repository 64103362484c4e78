import { nowMs } from '../app/now.js';
import type { TabProps } from '../agents/tab.js';
import type { Usage } from '../api/records.js';
import { useAgentData } from '../api/queries.js';
import { Loaded } from '../parts/parts.js';
import { showShortTime, showUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { usageCurve, type UsagePoint } from './usage-curve.js';
import { UsageChart } from './UsageChart.js';

const WORDS = TEXTS.agent;

/** Shows what counts against the daily limit, now and over the next 24 hours. */
export default function UsagePanel({ agentId }: TabProps) {
  const usage = useAgentData('usage', agentId);
  return <Loaded query={usage}>{(data) => <UsageOfDay usage={data} />}</Loaded>;
}

function UsageOfDay({ usage: { usedUsd, remainingTodayUsd, window } }: { readonly usage: Usage }) {
  const limitUsd = usedUsd + remainingTodayUsd;
  const points = usageCurve(window, nowMs());
  return (
    <>
      <p className="big">{WORDS.usageOf(showUsd(usedUsd), showUsd(limitUsd))}</p>
      <meter aria-label={WORDS.usage} min={0} max={limitUsd || 1} value={usedUsd}>
        {WORDS.usageOf(showUsd(usedUsd), showUsd(limitUsd))}
      </meter>
      <p>{WORDS.usageLeft(showUsd(remainingTodayUsd))}</p>
      <h3>{WORDS.usageFrees}</h3>
      <UsageChart points={points} limitUsd={limitUsd} />
      <details>
        <summary>{WORDS.usageTable}</summary>
        <PointTable points={points} />
      </details>
    </>
  );
}

function PointTable({ points }: { readonly points: readonly UsagePoint[] }) {
  return (
    <table>
      <caption className="unseen">{WORDS.usageFrees}</caption>
      <thead>
        <tr>
          <th scope="col">{WORDS.usageAt}</th>
          <th scope="col">{WORDS.usageLeaves}</th>
          <th scope="col">{WORDS.usageCounts}</th>
        </tr>
      </thead>
      <tbody>
        {points.map(({ atMs, usd, leavesUsd }, index) => (
          <tr key={atMs}>
            <th scope="row">{index === 0 ? WORDS.now : showShortTime(atMs)}</th>
            <td>{showUsd(leavesUsd)}</td>
            <td>{showUsd(usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
