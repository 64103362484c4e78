import { z } from 'zod';

/** What can be subscribed to. */
export const CHANNELS = [
  'fill',
  'user_orders',
  'market_positions',
  'market_lifecycle_v2',
  'orderbook_delta',
  'ticker',
  'trade',
] as const;

export type Channel = (typeof CHANNELS)[number];

/** Why a command is refused: the exchange's numbers. */
const SocketError = {
  unreadable: [1, 'Unable to process message'],
  paramsRequired: [2, 'Params required'],
  channelsRequired: [3, 'Channels required'],
  sidsRequired: [4, 'Subscription IDs required'],
  unknownCommand: [5, 'Unknown command'],
  alreadySubscribed: [6, 'Already subscribed'],
  unknownSid: [7, 'Unknown subscription ID'],
  unknownChannel: [8, 'Unknown channel name'],
  invalidParameter: [11, 'Invalid parameter'],
  oneSidRequired: [12, 'Exactly one subscription ID is required'],
  unsupportedAction: [13, 'Unsupported action'],
  marketRequired: [14, 'Market Ticker required'],
  marketNotFound: [16, 'Market not found'],
} as const;

/** A command that is answered with an error frame. */
export class CommandRefused extends Error {
  readonly code: number;

  constructor(kind: keyof typeof SocketError) {
    super(SocketError[kind][1]);
    this.name = 'CommandRefused';
    this.code = SocketError[kind][0];
  }
}

const ParamsSchema = z.object({
  channels: z.array(z.string()).optional(),
  market_ticker: z.string().optional(),
  market_tickers: z.array(z.string()).optional(),
  use_yes_price: z.boolean().optional(),
  send_initial_snapshot: z.boolean().optional(),
  sid: z.int().optional(),
  sids: z.array(z.int()).optional(),
  action: z.string().optional(),
});

const CommandSchema = z.object({ id: z.int().optional(), cmd: z.string(), params: z.unknown().optional() });

/** A command as it was sent. */
interface SocketCommand {
  readonly id: number | undefined;
  readonly cmd: string;
  readonly params: CommandParams | undefined;
}

export interface CommandParams {
  readonly channels: readonly string[];
  readonly tickers: readonly string[];
  readonly usesYesPrice: boolean;
  /** Only of the channel `ticker`, which begins silent. */
  readonly wantsSnapshot: boolean;
  readonly sids: readonly number[];
  readonly action: string | undefined;
}

/** Reads a frame. @throws CommandRefused */
export function readCommand(text: string): SocketCommand {
  const command = CommandSchema.safeParse(jsonOf(text));
  if (!command.success) throw new CommandRefused('unreadable');
  const { id, cmd, params } = command.data;
  return { id, cmd, params: params === undefined ? undefined : readParams(params) };
}

/** The id of a frame that could not be read whole. */
export function idOf(text: string): number | undefined {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandRefused('unreadable');
  }
}

function readParams(given: unknown): CommandParams {
  const params = ParamsSchema.safeParse(given);
  if (!params.success) throw new CommandRefused('invalidParameter');
  const { channels = [], market_ticker: ticker, market_tickers: tickers = [], sid, sids = [] } = params.data;
  return {
    channels,
    tickers: ticker === undefined ? tickers : [ticker, ...tickers],
    usesYesPrice: params.data.use_yes_price ?? false,
    wantsSnapshot: params.data.send_initial_snapshot ?? false,
    sids: sid === undefined ? sids : [sid, ...sids],
    action: params.data.action,
  };
}
