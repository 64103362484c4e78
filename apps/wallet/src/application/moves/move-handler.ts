import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { AppError, baseUnits } from '@agent-wallet/kernel';
import {
  amount,
  BLOCKHASH_MAX_AGE_MS,
  integer,
  type Landing,
  oneOf,
  type OperationDescription,
  type OperationHandler,
  type OperationInput,
  optional,
  type PermitName,
  planCodec,
  type Preparation,
  record,
  refusedPreparation,
  requestCodec,
  saltOf,
  text,
} from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import {
  associatedTokenAddress,
  buildMessage,
  LAMPORTS_PER_SIGNATURE,
  MOST_UNITS,
  type PriorityFees,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana';
import { covers, type EscrowOrder, type MovePlan, type MoveRequest, USDC } from '../../domain/move.js';
import type { Operator } from '../../domain/operator.js';
import type { OwnLandings } from '../../domain/own-landings.js';
import { chooseTerms } from '../../domain/wallet-funds.js';
import type { TransferChain } from '../../ports/transfer-chain.js';
import type { WalletStore } from '../../ports/wallet-store.js';
import { feeOfMessage, offering, payerOf, units, walletAddressOf } from '../operations/preparation.js';
import { type Parties, readParties } from '../transfers/transfer-parties.js';
import type { EarlierAttempts } from './earlier-attempts.js';

/** Dependencies of moves. */
interface MoveDependencies {
  readonly wallets: WalletStore;
  readonly chain: TransferChain;
  readonly operator: Pick<Operator, 'sponsor' | 'treasury'>;
  readonly earlier: Pick<EarlierAttempts, 'permitAttemptOf'>;
  readonly priority: PriorityFees;
  /** Gets every move that landed. */
  readonly landings: Pick<OwnLandings, 'add'>;
  readonly logger: Logger;
}

/** Whom a move is between. */
interface Ends {
  readonly wallet: string;
  readonly treasury: string;
}

const TOKEN = { mint: USDC.mint, tokenProgram: TOKEN_PROGRAM, decimals: USDC.decimals } as const;

/** Action and stored form of moves. */
export const MOVES = {
  action: 'move',
  codec: {
    request: requestCodec(
      record<MoveRequest>({
        operationId: text,
        step: integer,
        attempt: integer,
        direction: oneOf('escrow', 'payout'),
        amount,
        order: optional(
          record<EscrowOrder>({
            ticker: text,
            side: text,
            count: amount,
            maxPriceUsdMicros: amount,
            maxCostUsdMicros: amount,
          }),
        ),
      }),
    ),
    plan: planCodec(
      record<MovePlan>({
        permitAttempt: integer,
        sponsor: optional(text),
        priorityLamports: optional(units),
        rentLamports: optional(units),
      }),
    ),
  },
} as const;

/** USDC between an agent's wallet and the treasury, in the name of another service's operation, which publishes it. */
export class MoveHandler implements OperationHandler<MoveRequest, MovePlan> {
  readonly action = MOVES.action;
  readonly codec = MOVES.codec;
  readonly emitsEvents = false;

  constructor(private readonly dependencies: MoveDependencies) {}

  permitScope({ request }: OperationInput<MoveRequest>, { permitAttempt }: MovePlan): PermitName {
    return { operationId: request.operationId, step: request.step, attempt: permitAttempt };
  }

  /** Returns the kind of spending of an escrow. A payout comes to the agent: its policy cannot forbid it. */
  spending({ direction }: MoveRequest): policyV1.Spending | undefined {
    return direction === 'escrow' ? policyV1.Spending.SPENDING_ESCROW : undefined;
  }

  async prepare({ id, agentId, request }: OperationInput<MoveRequest>): Promise<Preparation<MovePlan>> {
    const { wallets, chain, earlier, operator } = this.dependencies;
    try {
      const treasury = treasuryOf(operator);
      const wallet = await walletAddressOf(wallets, agentId);
      const ends = { wallet, treasury };
      const [permitAttempt, parties, priorityLamports, recent] = await Promise.all([
        earlier.permitAttemptOf(request),
        this.#partiesOf(ends, request),
        this.#priorityOf(id, ends, request),
        chain.latestBlockhash({ maxAgeMs: BLOCKHASH_MAX_AGE_MS }),
      ]);
      const terms = this.#termsOf(parties, request, priorityLamports);
      if (terms instanceof AppError) return { kind: 'impossible', plan: undefined, error: terms };
      const plan = { permitAttempt, ...terms, ...offering(priorityLamports) };
      const intent = intentOf(ends, request, plan);
      const message = buildMessage({ intent, blockhash: recent.blockhash, salt: saltOf(id), priorityLamports });
      return { kind: 'ready', plan, intent, message, lastValidBlockHeight: recent.lastValidBlockHeight };
    } catch (error) {
      return refusedPreparation<MovePlan>(error, undefined);
    }
  }

  async landed({ agentId }: OperationInput<MoveRequest>, _plan: MovePlan, { signature }: Landing): Promise<undefined> {
    this.dependencies.landings.add(signature, await walletAddressOf(this.dependencies.wallets, agentId));
  }

  /** Describes a move without facts: its events are those of the operation that it is a step of. */
  describe(request: MoveRequest): OperationDescription {
    return { asset: USDC.symbol, amount: request.amount, decimals: USDC.decimals };
  }

  /** Returns what is offered for the message's place. Everyone's moves write to the treasury's account. */
  #priorityOf(id: string, { wallet, treasury }: Ends, { direction }: MoveRequest): Promise<bigint> {
    const owner = direction === 'escrow' ? treasury : wallet;
    const accounts = [treasury, associatedTokenAddress({ owner, mint: TOKEN.mint, tokenProgram: TOKEN.tokenProgram })];
    const units = MOST_UNITS.payment({ isToken: true, memo: '' }) + saltOf(id);
    return this.dependencies.priority.lamportsFor({ accounts, units });
  }

  /** Reads both accounts. @throws AppError INVALID_ADDRESS, UNSAFE_TOKEN */
  #partiesOf({ wallet, treasury }: Ends, { direction }: MoveRequest): Promise<Parties> {
    const { chain, operator } = this.dependencies;
    const isEscrow = direction === 'escrow';
    return readParties(chain, {
      ...(isEscrow ? { wallet, recipient: treasury } : { wallet: treasury, recipient: wallet }),
      ...{ memo: '', plan: TOKEN, extensions: [] },
      operator: { sponsor: isEscrow ? operator.sponsor : undefined, feeWallet: undefined },
    });
  }

  #termsOf(parties: Parties, request: MoveRequest, priorityLamports: bigint) {
    return request.direction === 'escrow'
      ? this.#escrow(parties, request, priorityLamports)
      : this.#payout(parties, request, priorityLamports);
  }

  /** @throws AppError INSUFFICIENT_FUNDS; SERVICE_UNAVAILABLE when the treasury takes no USDC */
  #escrow(parties: Parties, { amount }: MoveRequest, priorityLamports: bigint): Pick<MovePlan, 'sponsor'> {
    if (parties.createsRecipientAccount) throw new AppError('SERVICE_UNAVAILABLE', { cause: NO_ACCOUNT });
    const { isSponsored } = chooseTerms({
      ...parties,
      token: { ...USDC, available: parties.tokenUnits },
      ...{ amount, fee: 0n, priorityLamports },
      signatureLamports: LAMPORTS_PER_SIGNATURE,
    });
    return isSponsored ? { sponsor: this.dependencies.operator.sponsor! } : {};
  }

  /** Returns the terms of a payout, or the error that prevents it while nothing has moved. */
  #payout(
    parties: Parties,
    { operationId, amount }: MoveRequest,
    priorityLamports: bigint,
  ): Pick<MovePlan, 'rentLamports'> | AppError {
    const funds = fundsOf(parties, priorityLamports);
    if (!covers(funds, amount)) {
      const fields = { event: 'treasury.payout_refused', operationId, amount, ...funds } as const;
      this.dependencies.logger.error(fields, 'Treasury cannot cover the payout');
      return new AppError('SERVICE_UNAVAILABLE', {
        message: "The operator's treasury holds too little. Try again later.",
      });
    }
    return parties.createsRecipientAccount ? { rentLamports: baseUnits(parties.rentLamports) } : {};
  }
}

const NO_ACCOUNT = new Error('the treasury has no account for USDC');

function treasuryOf({ treasury }: Pick<Operator, 'treasury'>): string {
  if (treasury === undefined)
    throw new AppError('SERVICE_UNAVAILABLE', { cause: new Error('the treasury is not configured') });
  return treasury;
}

function fundsOf({ tokenUnits: units, lamports, rentLamports, minimumLamports }: Parties, priorityLamports: bigint) {
  const networkFeeLamports = feeOfMessage({ isSponsored: false, priorityLamports });
  return { units, lamports, rentLamports, minimumLamports, networkFeeLamports };
}

function intentOf({ wallet, treasury }: Ends, request: MoveRequest, plan: MovePlan): intentV1.Intent {
  const value = { treasury, ...TOKEN, amount: request.amount };
  if (request.direction === 'escrow') {
    const escrow = { ...value, ...(request.order ? { order: request.order } : {}) };
    return { wallet, action: { $case: 'escrow', value: escrow }, ...payerOf(plan) };
  }
  const createsRecipientAccount = plan.rentLamports !== undefined;
  return { wallet, action: { $case: 'payout', value: { ...value, createsRecipientAccount } } };
}
