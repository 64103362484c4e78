import { SYSTEM_PROGRAM } from '@agent-wallet/solana/checks';

/** The aggregator's program, and the account that it signs its events with. */
export const JUPITER_PROGRAM = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
export const JUPITER_EVENT_AUTHORITY = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf';

/** The program with which a market maker trades at a fixed price. */
export const ORDER_ENGINE_PROGRAM = '61DFfeTKM7trxYcPQCM78bJ794ddZprZpAwAnLiwTpYH';

/** The program that owns lookup tables. */
export const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';

/**
 * Programs that move what is the wallet's on nothing but its signature. A program can only call another one whose
 * account it was given.
 */
export const PROGRAMS_OF_OWNERS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
]);

/** First eight bytes of the instructions that are read, in hex. Every other one is refused. */
export const ROUTE_V2 = 'bb64facc31c4af14';
export const SHARED_ACCOUNTS_ROUTE_V2 = 'd19853937cfed8e9';
export const FILL = 'a860b7a35c0a28a0';

/**
 * The program's addresses `["authority", 0]` to `["authority", 15]`: they sign for the accounts that routes share, and
 * receive tips.
 */
export const PROGRAM_AUTHORITIES: readonly string[] = [
  'GGztQqQ6pCPaJQnNpXBgELr5cs3WwDakRbh1iEMzjgSJ',
  '2MFoS3MPtvyQ4Wh4M9pdfPjz6UhVoNbFbGJAskCPCj3h',
  'BQ72nSv9f3PRyRKCBnHLVrerrv37CYTHm5h3s9VSGQDV',
  '6U91aKa8pmMxkJwBCfPTmUEfZi6dHe7DcFq2ALvB2tbB',
  '4xDsmeTWPNjgSVSS1VTfzFq3iHZhp77ffPkAmkZkdu71',
  'CapuXNQoDviLvU1PxFiizLgPNQCxrsag1uMeyk6zLVps',
  '9nnLbotNTcUhvbrsA6Mdkx45Sm82G35zo28AqUvjExn8',
  '6LXutJvKUw8Q5ue2gCgKHQdAN4suWW8awzFVC6XCguFx',
  'HFqp6ErWHY6Uzhj8rFyjYuDya2mXUpYEk8VW75K9PSiY',
  'DSN3j1ykL3obAVNv7ZX49VsFCPe4LqzxHnmtLiPwY6xg',
  '69yhtoJR4JYPPABZcSNkzuqbaFbwHsCkja1sP1Q2aVT5',
  'HU23r7UoZbqTUuh3vA7emAGztFtqwTeVips789vqxxBw',
  '3LoAYHuSd7Gh8d7RTFnhvYtiTiefdZ5ByamU42vkzd76',
  '3CgvbiM3op4vjrrjH2zcrQUwsqh5veNVRjFCB9N6sRoD',
  'GP8StUXNYSZjPikyRsvkTbvRV1GBxMErb59cpeCJnDf1',
  '7iWnBRRhBCiNXXPhqiGzvvBkKrvFSWqqmxRyu9VyYBxE',
];
