import { nowMs } from '../app/now.js';
import type { TabProps } from '../agents/tab.js';
import type { Usage } from '../api/records.js';
import { useAgentData } from '../api/queries.js';
import { Loaded } from '../parts/parts.js';
import { showShortTime, showUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { usageCurve, type UsagePoint } from './usage-curve.js';
import { type UsageHour, usageHours } from './usage-hours.js';
import { FreesChart, HourChart } from './UsageChart.js';

const WORDS = TEXTS.agent;

/** Shows what counts against the daily limit: by the hour in which it was used, and by when it frees up. */
export default function UsagePanel({ agentId }: TabProps) {
  const usage = useAgentData('usage', agentId);
  return <Loaded query={usage}>{(data) => <UsageOfDay usage={data} />}</Loaded>;
}

function UsageOfDay({ usage }: { readonly usage: Usage }) {
  const { usedUsd, reservedUsd, remainingTodayUsd } = usage;
  const limitUsd = usedUsd + remainingTodayUsd;
  return (
    <>
      <p className="big">{WORDS.usageOf(showUsd(usedUsd), showUsd(limitUsd))}</p>
      <meter aria-label={WORDS.usage} min={0} max={limitUsd || 1} value={usedUsd}>
        {WORDS.usageOf(showUsd(usedUsd), showUsd(limitUsd))}
      </meter>
      <p>{WORDS.usageLeft(showUsd(remainingTodayUsd))}</p>
      {reservedUsd > 0 && <p className="hint">{WORDS.usageOpen(showUsd(reservedUsd))}</p>}
      <Charts window={usage.window} limitUsd={limitUsd} />
    </>
  );
}

function Charts({ window, limitUsd }: Pick<Usage, 'window'> & { readonly limitUsd: number }) {
  const now = nowMs();
  const hours = usageHours(window, now);
  const used = hours.filter(({ usd }) => usd > 0);
  if (used.length === 0) return <p className="hint">{WORDS.usageNone}</p>;
  const points = usageCurve(window, now);
  return (
    <>
      <h3>{WORDS.usageHours}</h3>
      <HourChart hours={hours} limitUsd={limitUsd} />
      <details>
        <summary>{WORDS.usageTable}</summary>
        <HourTable hours={used} />
      </details>
      <h3>{WORDS.usageFrees}</h3>
      <FreesChart points={points} limitUsd={limitUsd} />
      <details>
        <summary>{WORDS.freesTable}</summary>
        <PointTable points={points} />
      </details>
    </>
  );
}

function HourTable({ hours }: { readonly hours: readonly UsageHour[] }) {
  return (
    <table>
      <caption className="unseen">{WORDS.usageHours}</caption>
      <thead>
        <tr>
          <th scope="col">{WORDS.usageHour}</th>
          <th scope="col">{WORDS.usageUsed}</th>
        </tr>
      </thead>
      <tbody>
        {hours.map(({ fromMs, usd }) => (
          <tr key={fromMs}>
            <th scope="row">{showShortTime(fromMs)}</th>
            <td>{showUsd(usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
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
