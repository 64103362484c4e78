import { namedToken } from '@agent-wallet/kernel';

/* Values that the examples of several routes share. */

/** An operation, and the event of it. */
export const ID = '01938f70-8f1e-7a52-b1c4-7f7a1c2f9f10';
export const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
export const EXPLORER_URL = `https://explorer.solana.com/tx/${SIGNATURE}`;
/** SHA-256. */
export const HASH = '5d41402abc4b2a76b9719d911017c592ae41e4649b934ca495991b7852b8555a';
/** An address of a wallet, or a key. */
export const ADDRESS = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
/** Belongs to no key, so that what an example sends there is refused. */
export const RECIPIENT = 'RecipientWa11etThatYouChoose111111111111111';
export const USDC = namedToken('USDC')!.mint;
/** A market. */
export const TICKER = 'KXFED-26DEC-T4.00';
/** The exchange's own. */
export const ORDER_ID = '3f1d6c2e-8a55-4b3f-9a0d-5c7e2b9f4d10';
/** The signature of a transaction that brought money back. */
export const REFUND = '2xNweLHLqrbx4zo1waDvgWJHgsUpPj8Y8icbAFeR4a8i9bEMEmWZBjaNCfKjTb7Lo4fbQkCZ5hCwfuhBL7UwkmX8';
