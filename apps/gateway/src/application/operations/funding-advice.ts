import { type AppError, formatAmount } from '@agent-wallet/kernel';
import type { SessionStore } from '../../ports/session-store.js';

/** Dependencies of the advice. */
interface FundingAdviceDependencies {
  readonly sessions: Pick<SessionStore, 'agentById'>;
  /** The sandbox's admin API; undefined elsewhere. */
  readonly sandboxAdminUrl: string | undefined;
}

/** Says where money must go when a wallet lacks it. The services that refuse do not know how agents reach the faucet. */
export class FundingAdvice {
  constructor(private readonly dependencies: FundingAdviceDependencies) {}

  /** Returns the error; a lack of funds of the wallet with its address, and in the sandbox with the faucet. */
  async adviseOn(error: AppError, agentId: string): Promise<AppError> {
    if (error.code !== 'INSUFFICIENT_FUNDS' || isOfPredictionBalance(error)) return error;
    // The refusal is right without its address, too.
    const agent = await this.dependencies.sessions.agentById(agentId).catch(() => undefined);
    if (!agent?.address) return error;
    const { sandboxAdminUrl } = this.dependencies;
    const faucet = sandboxAdminUrl === undefined ? '' : ` Test money: POST ${sandboxAdminUrl}/faucet.`;
    return error.with({ suggestion: `${stepOf(error, agent.address)}${faucet}` });
  }
}

/** Reports whether the prediction balance lacks the money: a withdrawal from it names no lamports. */
const isOfPredictionBalance = ({ message }: AppError) => message.includes('in the prediction balance');

function stepOf({ data }: AppError, address: string): string {
  const { suggestion, asset, decimals, missingLamports, missingRaw = missingLamports } = data;
  if (typeof suggestion === 'string') return `${suggestion} The wallet is ${address}.`;
  const isKnown = typeof missingRaw === 'string' && typeof decimals === 'number';
  const amount = isKnown ? `at least ${formatAmount(BigInt(missingRaw), decimals)} ` : '';
  const symbol = typeof asset === 'string' ? asset : 'money';
  const purpose = asset === 'SOL' ? ' SOL also pays network fees and the rent of new accounts.' : '';
  return `Send ${amount}${symbol} to the wallet ${address}, or try a smaller amount.${purpose}`;
}
