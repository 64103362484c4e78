import { AppError } from '@agent-wallet/kernel';

/** Codes of the venue's program. */
const PAUSED = 6000;
const SLIPPAGE = 6005;
const NOTHING = 6006;

/**
 * Returns what the program's refusal means; undefined for every other failure. The code alone means something else in
 * other programs, so the instruction must match, too.
 * @param error the chain's own error as JSON text
 */
export function poolErrorOf(
  error: string,
  {
    instruction,
    pool,
    slippageBps,
  }: { readonly instruction: number; readonly pool: string; readonly slippageBps: number },
): AppError | undefined {
  switch (customCode(error, instruction)) {
    case PAUSED:
      return new AppError('POOL_PAUSED', { data: { pool } });
    case SLIPPAGE:
      return new AppError('SLIPPAGE_EXCEEDED', {
        message: `The pool price moved beyond slippageBps (${slippageBps}). No funds moved. Try again.`,
        data: { slippageBps },
      });
    case NOTHING:
      return AppError.field(
        'amount',
        'is too small: the pool would round it to 0. Use a larger amount.',
        'out_of_range',
      );
    default:
      return undefined;
  }
}

function customCode(error: string, instruction: number): number | undefined {
  try {
    const { InstructionError: [at, { Custom: code }] = [-1, {}] } = JSON.parse(error) as {
      readonly InstructionError?: readonly [number, { readonly Custom?: number }];
    };
    return at === instruction ? code : undefined;
  } catch {
    return undefined;
  }
}
