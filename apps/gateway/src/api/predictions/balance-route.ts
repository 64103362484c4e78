import { z } from 'zod';
import { centsDown } from '../../application/responses/cents.js';
import { usdNumber } from '../../application/responses/exact-json.js';
import { READ } from '../catalog-routes.js';
import { defineRoute } from '../route.js';
import { cents, dollarAmount } from '../schemas/units.js';

const predictionBalanceRecord = z
  .strictObject({
    balanceCents: cents('What is owed to the agent, rounded down.'),
    balanceDollars: dollarAmount(),
    reservedCents: cents('What of it is on its way to the wallet, rounded down.'),
    reservedDollars: dollarAmount(),
    availableCents: cents('What of it can be withdrawn, rounded down.'),
    availableDollars: dollarAmount(),
  })
  .meta({ id: 'PredictionBalance' });

export const predictionBalanceRoute = defineRoute(
  {
    ...READ,
    id: 'getPredictionBalance',
    tool: true,
    path: '/predictions/balance',
    summary: 'Get the prediction balance',
    notes: 'Where settled markets pay, and what could not be sent to the wallet lies.',
    response: predictionBalanceRecord,
    errors: ['POLICY_VIOLATION'],
    example: {
      response: {
        balanceCents: 600,
        balanceDollars: 6,
        reservedCents: 0,
        reservedDollars: 0,
        availableCents: 600,
        availableDollars: 6,
      },
    },
  },
  async ({ caller: { agentId } }, { services: { prediction } }) => {
    const { balanceUsdMicros, reservedUsdMicros, availableUsdMicros } = await prediction.balance(agentId);
    const data = {
      balanceCents: centsDown(balanceUsdMicros),
      balanceDollars: usdNumber(balanceUsdMicros),
      reservedCents: centsDown(reservedUsdMicros),
      reservedDollars: usdNumber(reservedUsdMicros),
      availableCents: centsDown(availableUsdMicros),
      availableDollars: usdNumber(availableUsdMicros),
    };
    return { data };
  },
);
