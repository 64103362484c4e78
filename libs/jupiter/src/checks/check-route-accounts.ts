import { addressBytes, addressOf, programDerivedAddress, SYSTEM_PROGRAM } from '@agent-wallet/solana/checks';
import type { RouteInstruction } from '../messages/route-instruction.js';
import { refuse } from '../messages/swap-message.js';
import {
  JUPITER_EVENT_AUTHORITY,
  JUPITER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  PROGRAM_AUTHORITIES,
  PROGRAMS_OF_OWNERS,
} from '../programs.js';
import type { SwapPlan, SwapSide } from './swap-plan.js';

const TEMPORARY_WRAPPED_SOL = Buffer.from('temporary-wsol-token-account');

/**
 * Checks that every account that the form of the trade names is the expected one. This stops an output to another
 * account, and an input from another account of the wallet. It also stops a trade of another token under this one's
 * numbers, and another program in the place of the token program.
 * @throws MessageRefused `account`
 */
export function checkRouteAccounts(route: RouteInstruction, plan: SwapPlan): void {
  const { accounts, form } = route;
  const { wallet, input, output } = plan;
  must(accounts.wallet === wallet, 'The trade is made for another wallet.');
  checkWithoutSponsor(route, plan);
  must(accounts.inputMint === input.mint, 'The trade spends another token.');
  must(accounts.outputMint === output.mint, 'The trade gains another token.');
  must(accounts.inputTokenProgram === input.tokenProgram, "The input's token program is another one.");
  must(accounts.outputTokenProgram === output.tokenProgram, "The output's token program is another one.");
  if (form === 'fill') {
    checkFill(route, plan);
    return;
  }
  must(accounts.source === input.account, "The input is taken from another account than the wallet's.");
  must(accounts.destination === output.account, "The output goes to another account than the wallet's.");
  must(accounts.eventAuthority === JUPITER_EVENT_AUTHORITY, 'The aggregator signs its events with another authority.');
  must(accounts.program === JUPITER_PROGRAM, 'The aggregator calls another program than itself.');
  if (form === 'route_v2') checkReceiver(accounts.receiver, output);
  else checkSharedAccounts(route, plan);
  checkVenues(route);
}

/**
 * Checks that the trade's instruction does not mention the sponsor. This stops a venue that would use its signature: a
 * program can only pass on those of the accounts that it was given.
 */
function checkWithoutSponsor({ accounts, rest }: RouteInstruction, { sponsor }: SwapPlan): void {
  const mentioned = [...Object.values(accounts), ...rest];
  must(sponsor === undefined || !mentioned.includes(sponsor), 'The trade is given the sponsor.');
}

/**
 * Checks that no other account receives the output. This stops an output that is diverted behind an honest destination.
 */
function checkReceiver(receiver: string, output: SwapSide): void {
  must([JUPITER_PROGRAM, output.account].includes(receiver), 'Another account receives the output.');
}

/**
 * Checks that the program's authority matches its number, and that venues of a shared route get no account of the
 * wallet. Such a route takes the input once and needs the wallet's signature for nothing else. This stops a venue that
 * would use it.
 */
function checkSharedAccounts({ accounts, authorityId, rest }: RouteInstruction, plan: SwapPlan): void {
  const { programAuthority, programSource, programDestination } = accounts;
  must(programAuthority === PROGRAM_AUTHORITIES[authorityId!], "The authority is not the aggregator's.");
  const ours = [plan.wallet, plan.input.account, plan.output.account];
  const lent = [programSource, programDestination, ...rest];
  must(!lent.some((account) => ours.includes(account)), "Venues are given the wallet's accounts without need.");
}

/**
 * Checks that no venue gets the System program, or another one that moves an owner's assets on the owner's signature
 * alone. A route_v2 lends the wallet's signature to every venue that it visits. This stops a venue that would use it to
 * take the wallet's SOL, stake or programs. As a result, venues that create accounts for their users within a trade
 * cannot be used; the order must exclude them.
 */
function checkVenues({ rest }: RouteInstruction): void {
  must(
    !rest.some((account) => PROGRAMS_OF_OWNERS.has(account)),
    "A venue is given a program that moves owners' things.",
  );
}

/**
 * Checks that the maker is the intent's, and that each side of the wallet is its own account. For the native coin, the
 * side is the address of the order engine, which means "none": the wallet itself. The maker's accounts must not be
 * the wallet's, and only the maker's account for SOL in transit may follow them. This stops an output to another
 * account, and an input that is taken twice.
 */
function checkFill({ accounts, rest }: RouteInstruction, plan: SwapPlan): void {
  const { wallet, input, output, cosigner } = plan;
  const sideAccount = ({ isNative, account }: SwapSide) => (isNative ? ORDER_ENGINE_PROGRAM : account);
  must(accounts.maker === cosigner, "The maker is not the intent's.");
  must(accounts.source === sideAccount(input), "The input is taken from another account than the wallet's.");
  must(accounts.destination === sideAccount(output), "The output goes to another account than the wallet's.");
  const ours = [wallet, input.account, output.account];
  must(![accounts.makerInput, accounts.makerOutput].some((one) => ours.includes(one)), "The maker uses the wallet's.");
  must(accounts.systemProgram === SYSTEM_PROGRAM, 'Another program is passed off as the System program.');
  if (rest.length === 0) return;
  const temporary = input.isNative || output.isNative ? temporaryWrappedSol(cosigner!) : undefined;
  must(rest.length === 1 && rest[0] === temporary, 'The fill has an account that it does not need.');
}

function temporaryWrappedSol(maker: string): string {
  const seeds = [TEMPORARY_WRAPPED_SOL, addressBytes(maker)];
  return addressOf(programDerivedAddress(seeds, addressBytes(ORDER_ENGINE_PROGRAM)));
}

function must(holds: boolean, otherwise: string): void {
  if (!holds) refuse('account', otherwise);
}
