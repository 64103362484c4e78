import type { FeeTerms } from './operator-fee.js';

/** What the operator of this deployment does for and takes of its agents. */
export interface Operator {
  /** Base58 address of the wallet that pays network fees and rent for agents that cannot; undefined for none. */
  readonly sponsor: string | undefined;
  /** Base58 address of the wallet that receives fees; undefined for no fees. */
  readonly feeWallet: string | undefined;
  /** Base58 address of the wallet that holds what agents have in escrow and what they are owed; undefined for none. */
  readonly treasury: string | undefined;
  readonly fees: FeeTerms;
}
