export { addressBytes, addressOf, isAddress } from './addresses/address.js';
export { associatedTokenAddress } from './addresses/associated-token-address.js';
export { decodeBase58, encodeBase58 } from './addresses/base58.js';
export {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  isTokenProgram,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenProgram,
  WRAPPED_SOL_MINT,
} from './addresses/programs.js';
export { isOnCurve, isReservedAddress, isWalletAddress } from './addresses/wallet-address.js';
export { JsonRpcError, openJsonRpc } from './chain/json-rpc.js';
export { networkOf } from './chain/network-of.js';
export { type NewSlots, openNewSlots, webSocketUrlOf } from './chain/new-slots.js';
export {
  openPriorityFees,
  PRIORITY_FEE_LAMPORTS,
  type PricedMessage,
  type PriorityFees,
  type PriorityFeesOptions,
} from './chain/priority-fees.js';
export { openSolanaChain, type SolanaChainOptions } from './chain/open-solana-chain.js';
export type {
  AccountsAtSlot,
  AddressSignature,
  AddressSignaturesPage,
  ChainAccount,
  ChainHead,
  ChainTime,
  Commitment,
  Freshness,
  LandedTokenBalance,
  LandedTransaction,
  Mint,
  MintState,
  RecentBlockhash,
  SendOutcome,
  SignatureStatus,
  SignatureStatusAtSlot,
  Simulation,
  SolanaChain,
  TimedChainHead,
  TokenHolding,
  TransferFee,
  TransferFeeConfig,
  WalletHoldings,
} from './chain/solana-chain.js';
export { readMint } from './chain/read-mint.js';
export { isUnreadable, isUnsupportedVersion } from './chain/unreadable-transaction.js';
export { readTokenAccount, type TokenAccount, tokenAccountBytes } from './chain/token-account.js';
export { transferFeeInEpoch, withheldOf } from './chain/transfer-fee.js';
export { checkMessage, type MessageLimits } from './checks/check-message.js';
export { addPlan, removePlan } from './intents/liquidity-plan.js';
export { MessageRefused, type RefusalReason } from './intents/message-refused.js';
export {
  type CosignedOutcome,
  type CosignedTransaction,
  readCosignedOutcome,
} from './landing/read-cosigned-outcome.js';
export { type AwaitedTransaction, type LandingOutcome, readOutcome } from './landing/read-outcome.js';
export { isLiquidityMint } from './liquidity/liquidity-mint.js';
export { CPMM_AUTHORITY, CPMM_PROGRAM, type CpmmAddresses, cpmmAddresses } from './liquidity/cpmm-addresses.js';
export {
  amountsToAdd,
  amountsToRemove,
  type CpmmState,
  leastWithin,
  liquidityFor,
  mostWithin,
} from './liquidity/cpmm-maths.js';
export { fairValue } from './liquidity/fair-value.js';
export { type CpmmPool, type CpmmSide, readCpmmPool, readCpmmPools } from './liquidity/read-cpmm-pool.js';
export { assembleVerified } from './messages/assemble-verified.js';
export { buildMessage, MAX_SALT, MOST_UNITS, type MessageRequest } from './messages/build-message.js';
export { type MessageFacts, messageFacts, networkFeeLamports, requiredSigners } from './messages/message-facts.js';
export { type ChainErrorExplanation, explainChainError } from './messages/explain-chain-error.js';
export { LAMPORTS_PER_SIGNATURE } from './messages/compute-budget.js';
export { MalformedMessage } from './messages/decode-message.js';
export {
  assembleTransaction,
  isSignature,
  messageHash,
  signatureText,
  splitTransaction,
  transactionSignature,
} from './messages/transaction.js';
export { verifySignature } from './messages/verify-signature.js';
export { NodeHealth } from './chain/nodes/node-health.js';
export { type NodesOptions, openNodes } from './chain/nodes/open-nodes.js';
