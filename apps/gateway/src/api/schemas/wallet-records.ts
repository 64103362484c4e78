import { z } from 'zod';
import { VENUE } from '../../application/responses/liquidity-response.js';
import { grantField } from './scoped-token.js';
import { address, baseUnits, bps, decimals, time, tokenAmount, usd, uuid } from './units.js';

export const walletRecord = z
  .strictObject({
    agentId: uuid('Names the agent to its owner and the operator.'),
    email: z.string().meta({ description: 'The address that logs in.' }),
    chainAddress: address('Where the wallet receives.'),
    solanaAddress: address('The same as `chainAddress`.'),
    claimed: z.boolean().meta({ description: 'Whether the agent has an owner.' }),
    grant: grantField(),
  })
  .meta({ id: 'Wallet' });

export const venueRecord = z.enum([VENUE]).meta({ id: 'LiquidityVenue', description: 'Where the pool is.' });

export const pricedAt = time().nullable().meta({ description: 'Time of the oldest price used; null without any.' });

const nativeBalanceRecord = z
  .strictObject({
    balance: tokenAmount('In SOL.'),
    amountRaw: baseUnits('The same in lamports.'),
    decimals: decimals(),
    usdValue: usd().nullable().meta({ description: 'Null where no fresh price is known.' }),
  })
  .meta({ id: 'NativeBalance' });

const tokenBalanceRecord = z
  .strictObject({
    mint: address(),
    symbol: z.string(),
    balance: tokenAmount(),
    amountRaw: baseUnits(),
    decimals: decimals(),
    usdValue: usd().nullable().meta({ description: 'Null where no fresh price is known.' }),
    liquidity: z
      .strictObject({ venue: venueRecord, pool: address() })
      .meta({ id: 'PoolShare' })
      .nullable()
      .meta({ description: 'The pool that the token is a share of; null for all other tokens.' }),
    scaled: z.boolean().meta({ description: 'Whether its mint makes wallets show more or less than `balance`.' }),
  })
  .meta({ id: 'TokenBalance' });

/** Balances (specification 2.5). */
export const balancesRecord = z
  .strictObject({
    chainAddress: address("The agent's wallet."),
    sol: nativeBalanceRecord,
    tokens: z.array(tokenBalanceRecord),
    totalUsdValue: usd('Sum of the known values.'),
    pricedAt,
  })
  .meta({ id: 'Balances' });

const power = (description: string) => address().nullable().meta({ description });

const tokenSafetyRecord = z
  .strictObject({
    freezeAuthority: power('The address that may freeze accounts; null for none.'),
    mintAuthority: power('The address that may mint more of it; null for none.'),
    permanentDelegate: power('The address that may move or burn it in any account; null for none.'),
    transferHook: power('The program that every transfer calls; null for none.'),
    transferFeeBps: bps("The mint's own fee on transfers."),
    maxTransferFeeRaw: baseUnits('The most that this fee takes of one transfer.'),
    unsafeExtensions: z.array(z.string()).meta({ description: 'Why this service does not move the token.' }),
  })
  .meta({ id: 'TokenSafety', description: 'What the mint lets others do.' });

export const tokenRecord = z
  .strictObject({
    mint: address("Wrapped SOL's mint for the native coin."),
    symbol: z.string(),
    name: z.string(),
    decimals: decimals(),
    verified: z.boolean().meta({ description: 'Whether the token is known to be the one it says it is.' }),
    safety: tokenSafetyRecord,
  })
  .meta({ id: 'Token' });
