import { Failure } from '../api/failure.js';
import type { LiquidityPositions, PredictionPositions } from '../api/records.js';
import { useAgentData } from '../api/queries.js';
import { Empty, Loaded } from '../parts/parts.js';
import { showUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { TabProps } from './tab.js';

const WORDS = TEXTS.positions;
/** The rule of the policy by which the API refuses. */
const OFF = 'prediction_markets_disabled';

/** Shows an agent's shares of pools and its contracts. */
export default function PositionsTab({ agentId }: TabProps) {
  const liquidity = useAgentData('liquidity', agentId);
  return (
    <div className="columns">
      <section aria-labelledby="pools">
        <h2 id="pools">{WORDS.pools}</h2>
        <Loaded query={liquidity}>{({ positions }) => <Pools positions={positions} />}</Loaded>
      </section>
      <section aria-labelledby="predictions">
        <h2 id="predictions">{WORDS.predictions}</h2>
        <Predictions agentId={agentId} />
      </section>
    </div>
  );
}

/** Shows contracts while prediction markets are on. While they are off, the API refuses to read them. */
function Predictions({ agentId }: TabProps) {
  const details = useAgentData('details', agentId);
  return (
    <Loaded query={details}>
      {({ policy }) =>
        policy.policy.allowPredictionMarkets ? <AllowedPredictions agentId={agentId} /> : <PredictionsOff />
      }
    </Loaded>
  );
}

function AllowedPredictions({ agentId }: TabProps) {
  const predictions = useAgentData('predictions', agentId);
  const balance = useAgentData('predictionBalance', agentId);
  // They may have been switched off since the limits were read.
  if (predictions.error instanceof Failure && predictions.error.rule === OFF) return <PredictionsOff />;
  return (
    <>
      {balance.data && <p>{WORDS.balance(showUsd(balance.data.availableDollars))}</p>}
      <Loaded query={predictions}>{({ positions }) => <Contracts positions={positions} />}</Loaded>
    </>
  );
}

function PredictionsOff() {
  return (
    <Empty title={WORDS.predictionsOff}>
      <p>{WORDS.predictionsOffText}</p>
    </Empty>
  );
}

function Pools({ positions }: Pick<LiquidityPositions, 'positions'>) {
  if (positions.length === 0) return <Empty title={WORDS.nonePools} />;
  return (
    <ul className="cards">
      {positions.map(({ positionId, amounts, sharePercent, usdValue }) => (
        <li key={positionId} className="card">
          <strong>
            <bdi>{amounts.map(({ amount }) => amount).join(' + ')}</bdi>
          </strong>
          <span className="value">{usdValue === null ? TEXTS.unknownValue : showUsd(usdValue)}</span>
          <small>{WORDS.share(sharePercent)}</small>
        </li>
      ))}
    </ul>
  );
}

function Contracts({ positions }: Pick<PredictionPositions, 'positions'>) {
  if (positions.length === 0) return <Empty title={WORDS.nonePredictions} />;
  return (
    <ul className="cards">
      {positions.map(({ ticker, side, quantity, totalCostDollars, currentValueDollars, settled }) => (
        <li key={`${ticker} ${side}`} className="card">
          <strong>
            <bdi>{ticker}</bdi>
          </strong>
          <span>{WORDS.contracts(quantity, side)}</span>
          <span className="value">
            {currentValueDollars === null ? TEXTS.unknownValue : showUsd(currentValueDollars)}
          </span>
          <small>{WORDS.cost(showUsd(totalCostDollars))}</small>
          {settled && <span className="tag">{WORDS.settled}</span>}
        </li>
      ))}
    </ul>
  );
}
