import type { intentV1 } from '@agent-wallet/contracts';
import type { MessageLimits } from '@agent-wallet/solana/checks';
import { resolvedAddressesHash } from '../messages/lookup-tables.js';
import { networkLamportsOf, readTrade, type Trade } from '../messages/read-trade.js';
import { readSwapMessage, refuse, type SwapMessage } from '../messages/swap-message.js';
import { checkMentionedAccounts } from './check-mentioned-accounts.js';
import { checkRouteAccounts } from './check-route-accounts.js';
import { checkSteps } from './check-steps.js';
import { type SwapPlan, swapPlan } from './swap-plan.js';

/**
 * Proves that a serialized message is the swap of its intent, and does nothing else that the bytes show:
 * exactly the input leaves, at least the minimum arrives in the wallet's own account, or nothing moves at all. Nothing
 * is asked of a chain, and no one is trusted: what a table is said to hold only counts where it cannot harm.
 *
 * What it cannot know, and what is therefore simulated before a signature is requested: what a venue's program does
 * with the wallet's signature to the two accounts of this trade, which every route_v2 lends to every venue that it
 * visits (more of the input taken than said, a delegate set), and to accounts of the wallet that are not associated ones
 * of the known tokens.
 * @param resolvedAddresses what the tables bring into the message; the intent has their hash
 * @throws MessageRefused
 */
export function checkSwapMessage(
  message: Uint8Array,
  intent: intentV1.Intent,
  resolvedAddresses: readonly Uint8Array[],
  limits: MessageLimits,
): void {
  const plan = swapPlan(intent);
  checkHash(plan, resolvedAddresses);
  const read = readSwapMessage(message, resolvedAddresses);
  const trade = readTrade(read);
  checkSigners(read, trade, plan);
  checkTerms(trade, plan);
  checkNetworkLamports(trade, plan, limits);
  checkSteps(trade, plan);
  checkRouteAccounts(trade.route, plan);
  checkMentionedAccounts(read, plan);
}

/**
 * Checks that the addresses are the permitted ones. This stops a change of the list between the check, simulation and
 * permit request, and the signature.
 */
function checkHash({ resolvedAddressesHash: permitted }: SwapPlan, resolvedAddresses: readonly Uint8Array[]): void {
  if (!resolvedAddressesHash(resolvedAddresses).equals(permitted)) {
    refuse('lookup_table', 'The addresses of the lookup tables are not those that were permitted.');
  }
}

/**
 * Checks that the wallet signs alone and pays, or that the intent's sponsor pays and signs first, the wallet second.
 * Otherwise the maker of the intent does so, and the trade is a fill without lookup tables. This stops a party that can
 * hold the message back until a moment of its choice; only a maker with a fixed price may. It also stops a payer that
 * wants something in return, and a route that uses another signer's accounts as the wallet's.
 */
function checkSigners({ signers, addresses, ownAddresses }: SwapMessage, { route }: Trade, plan: SwapPlan): void {
  const payer = plan.cosigner ?? plan.sponsor;
  const expected = payer === undefined ? [plan.wallet] : [payer, plan.wallet];
  if (signers.length !== expected.length || signers.some((signer, i) => signer !== expected[i])) {
    refuse('signers', 'Others must sign than those of the intent, or in another order.');
  }
  if ((route.form === 'fill') !== (plan.cosigner !== undefined)) {
    refuse('signers', 'A maker signs a fill, and nothing else.');
  }
  if (plan.cosigner !== undefined && addresses.length > ownAddresses) {
    refuse('lookup_table', 'A fill takes addresses from lookup tables.');
  }
}

/**
 * Checks that input and quote equal the intent's to the unit, and that a route's slippage is the intent's. A fill has
 * none. The aggregator takes no more than its fee, and nothing of a better price. This stops a higher input, and a
 * quote, slippage or fee that lets less arrive: the program enforces `quote − slippage` of these numbers.
 */
function checkTerms({ route }: Trade, plan: SwapPlan): void {
  if (route.inputAmount !== plan.inputAmount) refuse('amount', 'The trade takes another amount than the intent.');
  if (route.quotedOutputAmount !== plan.quotedOutputAmount) refuse('amount', 'The trade promises another amount.');
  if (route.form !== 'fill' && route.slippageBps !== plan.slippageBps) {
    refuse('route', "The slippage of the route is not the intent's.");
  }
  if (route.platformFeeBps > plan.platformFeeBps) refuse('route', 'The aggregator takes a higher fee.');
  if (route.positiveSlippageBps !== 0) refuse('route', 'The aggregator takes of a better price.');
}

/**
 * Checks that network fee and tips together stay within the intent's bound and the signer's own. This stops money that
 * leaves as a fee: to the block producer, or to a receiver of tips.
 */
function checkNetworkLamports(trade: Trade, plan: SwapPlan, { maxNetworkFeeLamports }: MessageLimits): void {
  const { maxNetworkLamports } = plan;
  const limit = maxNetworkLamports < maxNetworkFeeLamports ? maxNetworkLamports : maxNetworkFeeLamports;
  const lamports = networkLamportsOf(trade);
  if (lamports > limit) {
    refuse('network_fee', `Network fee and tips of ${lamports} lamports are above the limit of ${limit}.`);
  }
}
