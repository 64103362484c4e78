import { describe, expect, it } from '@jest/globals';
import { newAddress } from '../testing/corpus.js';
import { TOKEN_PROGRAM } from '../addresses/programs.js';
import { buildMessage } from './build-message.js';
import { explainChainError } from './explain-chain-error.js';

const MESSAGE = buildMessage({
  blockhash: newAddress(),
  intent: {
    wallet: newAddress(),
    action: {
      $case: 'transfer',
      value: {
        recipient: newAddress(),
        mint: newAddress(),
        tokenProgram: TOKEN_PROGRAM,
        decimals: 6,
        amount: 1n,
        createsRecipientAccount: true,
        memo: 'hello',
      },
    },
  },
});
const [CREATION, MEMO, TRANSFER] = [1, 2, 3];

const explain = (error: unknown) => explainChainError(MESSAGE, JSON.stringify(error));

describe('explainChainError', () => {
  it.each([
    [MEMO, 'ProgramFailedToComplete', 'the memo program) ran out of compute units', 'Shorten the memo'],
    [MEMO, 'InvalidInstructionData', 'the memo program) failed: InvalidInstructionData', 'Shorten the memo'],
    [TRANSFER, { Custom: 1 }, 'the token program) refused: insufficient token balance', 'send less'],
    [TRANSFER, { Custom: 17 }, 'the token program) refused: an account is frozen', undefined],
    [TRANSFER, { Custom: 6001 }, 'the token program) failed with its error 6001', undefined],
    [CREATION, { Custom: 1 }, 'creates token accounts) failed with its error 1', undefined],
    [TRANSFER, { BorshIoError: 'Unknown' }, 'the token program) failed: BorshIoError', undefined],
  ])('names instruction %i and its program for %j', (at, detail, reason, suggestion) => {
    const explained = explain({ InstructionError: [at, detail] });
    expect(explained.reason).toContain(`instruction ${at + 1} of 4 (`);
    expect(explained.reason).toContain(reason);
    if (suggestion === undefined) expect(explained.suggestion).toBeUndefined();
    else expect(explained.suggestion).toContain(suggestion);
  });

  it.each([
    [{ InsufficientFundsForRent: { account_index: 1 } }, 'fewer lamports than the rent'],
    ['InsufficientFundsForFee', 'cannot pay the network fee'],
    ['ProgramAccountNotFound', 'no program'],
    ['WouldExceedMaxBlockCostLimit', 'WouldExceedMaxBlockCostLimit'],
    [{ DuplicateInstruction: 2 }, 'DuplicateInstruction'],
    [{ InstructionError: 'odd' }, 'InstructionError'],
    [{}, 'an unknown error'],
    [7, 'an unknown error'],
  ])('puts %j into words', (error, reason) => {
    expect(explain(error).reason).toContain(reason);
  });
});
