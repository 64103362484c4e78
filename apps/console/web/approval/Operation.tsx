import { Address, Quoted, Term } from '../parts/parts.js';
import { showExactUsd, showRoundedUsd, showUnits } from '../parts/show.js';
import { knownToken, showTokens } from '../parts/tokens.js';
import { TEXTS } from '../texts.js';
import type { DecodedOperation } from './decode-document.js';

const WORDS = TEXTS.approval;
const LAMPORT_DECIMALS = 9;
const BPS_DECIMALS = 2;

type Of<Action extends DecodedOperation['action']> = Extract<DecodedOperation, { action: Action }>;

interface OperationProps {
  readonly operation: DecodedOperation;
  /** Whether it waits for a decision. Afterwards a recipient may be known that was new. */
  readonly isOpen: boolean;
}

/** Shows what an owner decides by: how much, to whom, and why the owner is asked. */
export function OperationSummary({ operation, isOpen }: OperationProps) {
  return (
    <>
      <p className="amount">
        <strong>{headlineOf(operation)}</strong>
        <span>{showRoundedUsd(operation.valueUsd)}</span>
      </p>
      <dl className="terms">
        {operation.action === 'transfer' && <Recipient {...operation} isOpen={isOpen} />}
        {operation.action === 'prediction_buy' && (
          <Term name={WORDS.market}>
            <Quoted text={operation.terms.ticker} />
          </Term>
        )}
        {mintsOf(operation)
          .filter((mint) => !knownToken(mint))
          .map((mint) => (
            <Term key={mint} name={WORDS.mint}>
              <Address address={mint} />
            </Term>
          ))}
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

/** Shows the other terms of an operation, exactly. */
export function OperationTerms({ operation }: { readonly operation: DecodedOperation }) {
  return (
    <>
      <ActionTerms operation={operation} />
      <Term name={WORDS.value}>{showExactUsd(operation.valueUsd)}</Term>
      <Term name={WORDS.wallet}>
        <Address address={operation.wallet} />
      </Term>
    </>
  );
}

/** Returns the tokens of an operation; one without a symbol is shown by its address at once. */
function mintsOf({ action, terms }: DecodedOperation): readonly string[] {
  switch (action) {
    case 'transfer':
      return [terms.mint];
    case 'trade':
      return [terms.inputMint, terms.outputMint];
    case 'liquidity_add':
      return [terms.mint0, terms.mint1];
    case 'prediction_buy':
      return [];
  }
}

function headlineOf({ action, terms }: DecodedOperation): string {
  switch (action) {
    case 'transfer':
      return showTokens(terms.mint, terms.amount, Number(terms.decimals));
    case 'trade': {
      const output = showTokens(terms.outputMint, terms.minOutputAmount);
      return WORDS.trades(showTokens(terms.inputMint, terms.inputAmount), output);
    }
    case 'liquidity_add':
      return `${showTokens(terms.mint0, terms.maxAmount0)} + ${showTokens(terms.mint1, terms.maxAmount1)}`;
    case 'prediction_buy':
      return WORDS.contracts(terms.count, terms.side);
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

function Recipient({ terms, reasons, isOpen }: Of<'transfer'> & Pick<OperationProps, 'isOpen'>) {
  return (
    <>
      <Term name={WORDS.recipient}>
        <Address address={terms.recipient} />
        <Standing lookalikeOf={terms.lookalikeOf} isNew={reasons.includes('new_recipient')} isOpen={isOpen} />
      </Term>
      {terms.memo !== '' && (
        <Term name={WORDS.memo}>
          <Quoted text={terms.memo} />
        </Term>
      )}
      {terms.trust !== 'once' && <Term name={WORDS.trust}>{WORDS.trusts[terms.trust]}</Term>}
    </>
  );
}

function Transfer({ terms }: Of<'transfer'>) {
  const decimals = Number(terms.decimals);
  return (
    <>
      <Term name={WORDS.token}>
        <Token mint={terms.mint} />
      </Term>
      <Term name={WORDS.amount}>{showTokens(terms.mint, terms.amount, decimals)}</Term>
      <Term name={WORDS.fee}>{showTokens(terms.mint, terms.maxFee, decimals)}</Term>
      <Term name={WORDS.createsAccount}>
        {terms.createsAccount === 'true' ? WORDS.createsAccountYes : WORDS.createsAccountNo}
      </Term>
      {terms.trust === 'once' && <Term name={WORDS.trust}>{WORDS.trusts.once}</Term>}
      {terms.memo === '' && <Term name={WORDS.memo}>{WORDS.noMemo}</Term>}
    </>
  );
}

interface StandingProps {
  readonly lookalikeOf: string | undefined;
  readonly isNew: boolean;
  readonly isOpen: boolean;
}

/** Says what the document says of a recipient. */
function Standing({ lookalikeOf, isNew, isOpen }: StandingProps) {
  const isUnstated = !isNew && lookalikeOf === undefined;
  return (
    <>
      {isNew && isOpen && <span className="tag warn">{WORDS.isNew}</span>}
      {lookalikeOf !== undefined && (
        <div className="notice bad">
          <strong>{WORDS.lookalike}</strong>
          <p>{WORDS.lookalikeText}</p>
          <Address address={lookalikeOf} />
        </div>
      )}
      {isUnstated && isOpen && <p className="hint">{WORDS.recipientUnstated}</p>}
    </>
  );
}

function Trade({ terms }: Of<'trade'>) {
  return (
    <>
      <Term name={WORDS.gives}>
        {showTokens(terms.inputMint, terms.inputAmount)} <Mint mint={terms.inputMint} />
      </Term>
      <Term name={WORDS.getsAtLeast}>
        {showTokens(terms.outputMint, terms.minOutputAmount)} <Mint mint={terms.outputMint} />
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
        {showTokens(terms.mint0, terms.maxAmount0)} <Mint mint={terms.mint0} />
      </Term>
      <Term name={WORDS.givesAtMost}>
        {showTokens(terms.mint1, terms.maxAmount1)} <Mint mint={terms.mint1} />
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
      <Term name={WORDS.buys}>{WORDS.contracts(terms.count, terms.side)}</Term>
      <Term name={WORDS.maxPrice}>{showExactUsd(terms.maxPriceUsd)}</Term>
      <Term name={WORDS.maxCost}>{showExactUsd(terms.maxCostUsd)}</Term>
    </>
  );
}

/** Shows the address of a token whose amount has its symbol already. */
function Mint({ mint }: { readonly mint: string }) {
  return mint === 'native' ? null : <Address address={mint} />;
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
