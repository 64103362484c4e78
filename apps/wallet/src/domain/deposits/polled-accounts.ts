/**
 * Accounts of a wallet whose balances are polled: itself, the expected ones, and those that were seen first. Strangers can
 * open any number of token accounts for a wallet, at the price of their rent, and each costs the node a part of a call.
 */
export const MAX_POLLED_ACCOUNTS = 100;

/** Accounts beyond them whose transactions one full sweep of the wallet has read, though their balances stand still. */
export const UNPOLLED_READS_A_SWEEP = 20;
