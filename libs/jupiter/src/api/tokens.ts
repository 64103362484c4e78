import { z } from 'zod';
import { address } from './fields.js';

const optionalNumber = z.number().nullish();

/** One token of `GET /tokens/v2/search`. A symbol found there can be anyone's: it never names a token to trade. */
const mintInformation = z.object({
  /** Address of the mint. */
  id: address,
  name: z.string(),
  symbol: z.string(),
  icon: z.string().nullish(),
  decimals: z.int().min(0).max(255),
  tokenProgram: address,
  createdAt: z.string(),
  mintAuthority: address.nullish(),
  freezeAuthority: address.nullish(),
  circSupply: optionalNumber,
  totalSupply: optionalNumber,
  holderCount: optionalNumber,
  fdv: optionalNumber,
  mcap: optionalNumber,
  usdPrice: optionalNumber,
  liquidity: optionalNumber,
  audit: z
    .object({
      isSus: z.boolean().nullish(),
      mintAuthorityDisabled: z.boolean().nullish(),
      freezeAuthorityDisabled: z.boolean().nullish(),
      topHoldersPercentage: optionalNumber,
      devBalancePercentage: optionalNumber,
    })
    .nullish(),
  organicScore: z.number(),
  organicScoreLabel: z.enum(['high', 'medium', 'low']),
  isVerified: z.boolean().nullish(),
  tags: z.array(z.string()).nullish(),
  updatedAt: z.string(),
});

/** Response of `GET /tokens/v2/search` and `GET /ultra/v1/search`. */
export const tokensResponse = z.array(mintInformation);
