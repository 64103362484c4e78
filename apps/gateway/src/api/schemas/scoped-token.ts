import { TOKEN_SCOPES } from '@agent-wallet/kernel';
import { z } from 'zod';
import { address, time, usd, uuid } from './units.js';

/** Returns the name of a scope. */
export const tokenScope = () =>
  z.enum(TOKEN_SCOPES, `must be one of ${TOKEN_SCOPES.join(', ')}`).meta({ id: 'TokenScope' });

const limit = () => usd().nullable();

/** A scoped token, without its secret. */
export const scopedTokenRecord = z
  .strictObject({
    id: uuid(),
    name: z.string(),
    scopes: z.array(tokenScope()),
    recipients: z.array(address()).nullable(),
    maxSingleInUsd: limit(),
    dailyLimitInUsd: limit(),
    totalLimitInUsd: limit(),
    usedTodayUsd: usd(),
    usedUsd: usd(),
    createdAt: time(),
    expiresAt: time(),
  })
  .meta({
    id: 'ScopedToken',
    description:
      'Where recipients or a limit are null, the policy alone holds. What is used is spent or open: in the last 24 hours, and since ' +
      'the token was opened. The id is not a secret.',
  });

export const SCOPED_TOKEN: z.input<typeof scopedTokenRecord> = {
  id: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f',
  name: 'Trading bot',
  scopes: ['read', 'trade'],
  recipients: null,
  maxSingleInUsd: 20,
  dailyLimitInUsd: 50,
  totalLimitInUsd: null,
  usedTodayUsd: 0,
  usedUsd: 0,
  createdAt: '2026-11-21T10:01:00.000Z',
  expiresAt: '2026-12-21T10:01:00.000Z',
};

/** Returns the field that names the scoped token that asks. */
export const grantField = () =>
  scopedTokenRecord.nullable().meta({
    description: 'The scoped token that asks, its limits and their use; null for a login’s.',
  });
