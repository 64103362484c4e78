import { Address, Quoted, Term } from '../parts/parts.js';
import { showExactUsd, showUnits } from '../parts/show.js';
import { knownToken, showTokens } from '../parts/tokens.js';
import { TEXTS } from '../texts.js';
import type { DecodedOperation } from './decode-document.js';

const WORDS = TEXTS.approval;
const LAMPORT_DECIMALS = 9;
const BPS_DECIMALS = 2;

type Of<Action extends DecodedOperation['action']> = Extract<DecodedOperation, { action: Action }>;

/** Shows an operation's terms. */
export function Operation({ operation }: { readonly operation: DecodedOperation }) {
  return (
    <>
      <p className="amount">
        <Headline operation={operation} />
        <span>{showExactUsd(operation.valueUsd)}</span>
      </p>
      <dl className="terms">
        <ActionTerms operation={operation} />
        <Term name={WORDS.wallet}>
          <Address address={operation.wallet} />
        </Term>
        <Term name={WORDS.reasons}>
          <ul className="plain">
            {operation.reasons.map((reason) => (
              <li key={reason}>{WORDS.reasonTexts[reason]}</li>
            ))}
          </ul>
        </Term>
      </dl>
    </>
  );
}

function Headline({ operation: { action, terms } }: { readonly operation: DecodedOperation }) {
  switch (action) {
    case 'transfer':
      return <strong>{showTokens(terms.mint, terms.amount, Number(terms.decimals))}</strong>;
    case 'trade':
      return <strong>{showTokens(terms.inputMint, terms.inputAmount)}</strong>;
    case 'liquidity_add':
      return (
        <strong>
          {showTokens(terms.mint0, terms.maxAmount0)} + {showTokens(terms.mint1, terms.maxAmount1)}
        </strong>
      );
    case 'prediction_buy':
      return <strong>{WORDS.contracts(terms.count, terms.side)}</strong>;
  }
}

function ActionTerms({ operation }: { readonly operation: DecodedOperation }) {
  switch (operation.action) {
    case 'transfer':
      return <Transfer {...operation} />;
    case 'trade':
      return <Trade {...operation} />;
    case 'liquidity_add':
      return <Liquidity {...operation} />;
    case 'prediction_buy':
      return <Buy {...operation} />;
  }
}

function Transfer({ terms, reasons }: Of<'transfer'>) {
  const decimals = Number(terms.decimals);
  return (
    <>
      <Term name={WORDS.recipient}>
        <Address address={terms.recipient} />
        <Standing lookalikeOf={terms.lookalikeOf} isNew={reasons.includes('new_recipient')} />
      </Term>
      <Term name={WORDS.token}>
        <Token mint={terms.mint} />
      </Term>
      <Term name={WORDS.amount}>{showTokens(terms.mint, terms.amount, decimals)}</Term>
      <Term name={WORDS.fee}>{showTokens(terms.mint, terms.maxFee, decimals)}</Term>
      <Term name={WORDS.createsAccount}>
        {terms.createsAccount === 'true' ? WORDS.createsAccountYes : WORDS.createsAccountNo}
      </Term>
      <Term name={WORDS.trust}>{WORDS.trusts[terms.trust]}</Term>
      <Term name={WORDS.memo}>{terms.memo === '' ? WORDS.noMemo : <Quoted text={terms.memo} />}</Term>
    </>
  );
}

interface StandingProps {
  readonly lookalikeOf: string | undefined;
  readonly isNew: boolean;
}

/** Says what the document says of a recipient. */
function Standing({ lookalikeOf, isNew }: StandingProps) {
  return (
    <>
      {isNew && <span className="tag warn">{WORDS.isNew}</span>}
      {lookalikeOf !== undefined && (
        <div className="notice bad">
          <strong>{WORDS.lookalike}</strong>
          <p>{WORDS.lookalikeText}</p>
          <Address address={lookalikeOf} />
        </div>
      )}
      {!isNew && lookalikeOf === undefined && <p className="hint">{WORDS.recipientUnstated}</p>}
    </>
  );
}

function Trade({ terms }: Of<'trade'>) {
  return (
    <>
      <Term name={WORDS.gives}>
        {showTokens(terms.inputMint, terms.inputAmount)} <Token mint={terms.inputMint} />
      </Term>
      <Term name={WORDS.getsAtLeast}>
        {showTokens(terms.outputMint, terms.minOutputAmount)} <Token mint={terms.outputMint} />
      </Term>
      <Term name={WORDS.slippage}>{showUnits(terms.slippageBps, BPS_DECIMALS)} %</Term>
      <Term name={WORDS.network}>{showUnits(terms.maxNetworkLamports, LAMPORT_DECIMALS)} SOL</Term>
    </>
  );
}

function Liquidity({ terms }: Of<'liquidity_add'>) {
  return (
    <>
      <Term name={WORDS.givesAtMost}>
        {showTokens(terms.mint0, terms.maxAmount0)} <Token mint={terms.mint0} />
      </Term>
      <Term name={WORDS.givesAtMost}>
        {showTokens(terms.mint1, terms.maxAmount1)} <Token mint={terms.mint1} />
      </Term>
      <Term name={WORDS.shares}>
        {terms.liquidity} {WORDS.baseUnits}
      </Term>
      <Term name={WORDS.pool}>
        <Address address={terms.pool} />
      </Term>
      <Term name={WORDS.slippage}>{showUnits(terms.slippageBps, BPS_DECIMALS)} %</Term>
    </>
  );
}

function Buy({ terms }: Of<'prediction_buy'>) {
  return (
    <>
      <Term name={WORDS.market}>
        <Quoted text={terms.ticker} />
      </Term>
      <Term name={WORDS.buys}>{WORDS.contracts(terms.count, terms.side)}</Term>
      <Term name={WORDS.maxPrice}>{showExactUsd(terms.maxPriceUsd)}</Term>
      <Term name={WORDS.maxCost}>{showExactUsd(terms.maxCostUsd)}</Term>
    </>
  );
}

/** Shows a token by its symbol where the page itself knows it, and always by its address. */
function Token({ mint }: { readonly mint: string }) {
  if (mint === 'native') return 'SOL';
  const known = knownToken(mint);
  return (
    <>
      {known && `${known.symbol} `}
      <Address address={mint} />
    </>
  );
}
