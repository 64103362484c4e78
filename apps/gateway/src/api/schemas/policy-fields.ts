import { z } from 'zod';
import { NEW_RECIPIENTS, OWNER_FIELDS } from './policy-records.js';
import { addressText, integerField, limitField, limitOrNullField, percentOrNullField, uniqueList } from './fields.js';

const flag = (description: string) => z.boolean('must be true or false').optional().meta({ description });

/** Returns a list that allows nothing else, or null, which allows everything. */
const allowListOf = (entry: z.ZodString, description: string) =>
  uniqueList(entry, 100).nullable().optional().meta({ uniqueItems: true, description });

/** Parts of an exchange's names, joined by hyphens. */
const marketText = () =>
  z
    .string('must be a string')
    .regex(/^[A-Za-z0-9_.]+(-[A-Za-z0-9_.]+)*$/, 'must be a ticker or a beginning of one')
    .max(100);

/** The fields of a policy that a request may change. */
const policyChangeFields = {
  maxSingleTransactionInUsd: limitField('Of one transaction; at most 6 decimals.'),
  dailyLimitInUsd: limitField('In any 24 hours; at most 6 decimals.'),
  allowedRecipients: uniqueList(addressText(), 500)
    .optional()
    .meta({ uniqueItems: true, description: 'Replaces the list; `[]` allows every recipient.' }),
  allowTrading: flag('Token swaps.'),
  allowLiquidityProvision: flag('Liquidity provision.'),
  allowPredictionMarkets: flag('Prediction markets.'),
  sessionExpirationHours: integerField(
    { min: 1, max: 8760, unit: 'Hours' },
    'Validity of a token, from the next login on.',
  ),
  newRecipients: z
    .enum(NEW_RECIPIENTS, `must be one of ${NEW_RECIPIENTS.join(', ')}`)
    .optional()
    .meta({ description: 'Payments to unknown recipients; `approve` needs an owner.' }),
  newRecipientCoolDownHours: integerField(
    { min: 0, max: 168, unit: 'Hours' },
    'From a settled payment until its recipient is known.',
  ),
  approveAboveInUsd: limitOrNullField('Above this, spending needs approval; null: never.'),
  allowedTokens: allowListOf(addressText(), 'Mints that trades may bring (SOL: its wrapped mint); null: all.'),
  allowedMarkets: allowListOf(marketText(), 'Tickers to buy, or beginnings up to a hyphen; null: all.'),
};

/** Fields that a holder of the agent's token may change. */
export const policyUpdate = z.strictObject(policyChangeFields).meta({ id: 'PolicyUpdateRequest' });

/** Fields that the owner may change, also those for the owner alone. */
export const policyChanges = z
  .strictObject({
    ...policyChangeFields,
    approvalLifetimeHours: integerField({ min: 1, max: 168, unit: 'Hours' }, OWNER_FIELDS.approvalLifetimeHours),
    maxTradeLossPercent: percentOrNullField(100, OWNER_FIELDS.maxTradeLossPercent),
    unpricedTokens: uniqueList(addressText(), 100)
      .optional()
      .meta({ uniqueItems: true, description: OWNER_FIELDS.unpricedTokens }),
    allowMailLogin: flag(OWNER_FIELDS.allowMailLogin),
  })
  .meta({
    id: 'PolicyChanges',
    description: 'Fields as in PATCH `/wallets/me/policy`, and four for the owner alone.',
  });
