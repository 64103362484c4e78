import type { PendingRequest } from '@agent-wallet/sdk';
import { flag, optionalText, text } from '../args.js';
import type { Command } from '../command.js';
import { confirmedIn, type Context, lostResult } from '../context.js';
import { EXITS, isUnfilled, orderExit, UnwrittenError, UsageError } from '../exit-codes.js';
import { reportFailure } from '../failures.js';
import { printed } from './operation.js';

const pending: Command = {
  usage: 'pending',
  summary: 'List operations whose end was not seen',
  examples: [['pending', 'List what was left open']],
  run: async (context) => {
    const requests = await context.wallet().pending();
    context.output.result({ pending: requests }, ({ table }) =>
      table(
        ['KEY', 'REQUEST', 'BODY'],
        requests.map(({ key, path, body }) => [key, path, body]),
        'Nothing is open.',
      ),
    );
  },
};

const resume: Command = {
  usage: 'resume [key]',
  summary: 'Go on with operations whose end was not seen',
  examples: [
    ['resume', 'Go on with the one that was left open'],
    ['resume --all', 'Go on with all of them, one after the other'],
  ],
  positionals: { key: 'Key of the request, where several are open' },
  flags: { all: 'Go on with all of them' },
  run: async (context, args) => {
    const requests = await context.wallet().pending();
    if (flag(args, 'all')) return resumeAll(context, requests);
    const key = optionalText(args, 'key');
    const chosen = key === undefined ? requests : requests.filter((request) => request.key === key);
    if (chosen.length > 1) {
      throw new UsageError('Several operations are open: name the key of one (aw pending), or add --all.');
    }
    const [request] = chosen;
    if (!request && key !== undefined) throw new UsageError(`No open request has the key ${key}.`);
    if (!request) {
      context.output.result({ resumed: null }, () => 'Nothing is open.');
      return EXITS.done.code;
    }
    let exitCode: number = EXITS.done.code;
    await context.operate(async (wallet, options) => {
      const result = await wallet.resume<object>(request, options);
      exitCode = orderExit(result);
      await printed(context, result, () => [[wordOf(result), request.path]]);
    });
    return exitCode;
  },
};

const forget: Command = {
  usage: 'forget <key>',
  summary: 'Forget an operation that you looked up in history',
  examples: [['forget 4be7a1c2', 'Its end is in the history, or it never began']],
  positionals: { key: 'Key of the request, as `aw pending` lists it' },
  run: async (context, args) => {
    const wallet = context.wallet();
    const key = text(args, 'key');
    const request = (await wallet.pending()).find((each) => each.key === key);
    if (!request) throw new UsageError(`No open request has the key ${key}.`);
    await wallet.forget(request);
    context.output.result({ forgotten: key }, () => `Forgotten: ${key}.`);
  },
};

function wordOf(result: object): string {
  return isUnfilled(result) ? 'Nothing filled' : 'Done';
}

/** Goes on with each request; a failure of one does not keep the others. @returns the exit code of the last failure */
async function resumeAll(context: Context, requests: readonly PendingRequest[]): Promise<number> {
  const { output } = context;
  const results: object[] = [];
  let exitCode: number = EXITS.done.code;
  await context.operate(async (wallet, options) => {
    for (const request of requests) {
      try {
        const result = await wallet.resume<object>(request, options).catch((error: unknown) => {
          const confirmed = confirmedIn(error);
          if (confirmed) return confirmed;
          throw error;
        });
        results.push({ key: request.key, result });
        const { transactionId } = result as { transactionId?: string };
        if (isUnfilled(result)) exitCode = EXITS.market.code;
        const text = `${wordOf(result)} ${request.path} ${request.key}`;
        if (!output.isJson) await output.effect(result, () => text, lostResult(transactionId));
      } catch (error) {
        if (options.signal?.aborted || error instanceof UnwrittenError) throw error;
        exitCode = reportFailure(error, output, context.source());
      }
    }
  });
  const lost = { next: 'Money moved. Look it up: aw history.', repeatable: false };
  if (results.length === 0 && (output.isJson || requests.length === 0)) {
    output.result({ resumed: [] }, () => 'Nothing is open.');
  } else if (output.isJson) await output.effect({ resumed: results }, () => '', lost);
  return exitCode;
}

export const PENDING_COMMANDS: readonly Command[] = [pending, resume, forget];
