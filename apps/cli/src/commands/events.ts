import { flag, optionalInteger } from '../args.js';
import type { Command } from '../command.js';
import { UsageError } from '../exit-codes.js';

const events: Command = {
  usage: 'events',
  summary: 'Follow the changes of the wallet; JSON has one value a line',
  examples: [
    ['events --follow', 'Follow changes until Ctrl-C'],
    ['events --follow --after 17 --json', 'Go on after change 17'],
  ],
  options: { after: 'Sequence of the last change that you have' },
  flags: { follow: 'Stay until Ctrl-C' },
  run: async (context, args) => {
    if (!flag(args, 'follow')) throw new UsageError('events follows changes until Ctrl-C: add --follow.');
    const stop = new AbortController();
    const end = context.surroundings.onStop(() => stop.abort());
    const after = optionalInteger(args, 'after');
    try {
      for await (const event of context.wallet().events({ after, signal: stop.signal })) {
        context.output.result(event, ({ time }) =>
          event.type === 'change'
            ? [event.sequence, time(event.occurredAt) || null, event.eventType, event.action, event.transactionId]
                .filter((part) => part !== null)
                .join('  ')
            : event.type,
        );
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      end();
    }
  },
};

export const EVENT_COMMANDS: readonly Command[] = [events];
