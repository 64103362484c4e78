import { z } from 'zod';
import { NEW_RECIPIENTS } from './policy-records.js';
import { addressText, integerField, limitField, limitOrNullField } from './fields.js';

const flag = (description: string) => z.boolean('must be true or false').optional().meta({ description });

/** The fields of a policy that a request may change. */
const policyChangeFields = {
  maxSingleTransactionInUsd: limitField('Largest value of one transaction; at most 6 decimals.'),
  dailyLimitInUsd: limitField('Largest sum in any 24 hours; at most 6 decimals.'),
  allowedRecipients: z
    .array(addressText(), 'must be an array of addresses')
    .max(500, 'must have at most 500 entries')
    .refine((list) => new Set(list).size === list.length, {
      error: 'must not contain an address twice',
      params: { problem: 'duplicate' },
    })
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
  approveAboveInUsd: limitOrNullField('Payments of more need an approval; null: none do.'),
};

/** What a holder of the agent's token may change. */
export const policyUpdate = z.strictObject(policyChangeFields).meta({ id: 'PolicyUpdateRequest' });

/** The same, and what an owner alone may change. */
export const policyChanges = z
  .strictObject({
    ...policyChangeFields,
    approvalLifetimeHours: integerField(
      { min: 1, max: 168, unit: 'Hours' },
      'How long the owner can decide on a proposal.',
    ),
  })
  .meta({ id: 'PolicyChanges', description: 'Fields as in PATCH, and `approvalLifetimeHours` (1–168).' });
