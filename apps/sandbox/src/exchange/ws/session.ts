import type { Exchange, ExchangeEvent } from '../engine/exchange.js';
import { type Channel, CHANNELS, type CommandParams, CommandRefused, idOf, readCommand } from './commands.js';
import { deltaMessage, fillMessage, lifecycleMessage, orderMessage } from './event-json.js';
import { positionMessage, snapshotMessage, tickerMessage, tradeMessage } from './event-json.js';

interface Subscription {
  readonly sid: number;
  readonly channel: Channel;
  /** Undefined: every market. */
  tickers: Set<string> | undefined;
  readonly usesYesPrice: boolean;
  /** Counts what was sent of a book; a gap shows that something was missed. */
  seq: number;
}

type SendFrame = (frame: unknown) => void;

/** One client of the socket: its subscriptions, and what each of them hears. */
export class Session {
  private readonly subscriptions = new Map<number, Subscription>();
  private lastSid = 0;

  constructor(
    private readonly exchange: Exchange,
    private readonly send: SendFrame,
  ) {}

  /** Answers a command. */
  handle(text: string): void {
    try {
      const { id, cmd, params } = readCommand(text);
      if (cmd === 'subscribe') this.subscribe(id, required(params));
      else if (cmd === 'unsubscribe') this.unsubscribe(id, required(params));
      else if (cmd === 'update_subscription') this.update(id, required(params));
      else if (cmd === 'list_subscriptions') this.list(id);
      else throw new CommandRefused('unknownCommand');
    } catch (error) {
      const refused = error instanceof CommandRefused ? error : new CommandRefused('unreadable');
      this.send({ id: idOf(text), type: 'error', msg: { code: refused.code, msg: refused.message } });
    }
  }

  /** Sends it to every subscription it concerns. */
  tell(event: ExchangeEvent): void {
    for (const subscription of this.subscriptions.values()) {
      if (concerns(subscription, tickerOf(event))) this.publishOne(subscription, event);
    }
  }

  /** Sends the subscriptions to `ticker` where a market stands. */
  publishTicker(ticker: string): void {
    for (const subscription of this.subscriptions.values()) {
      if (subscription.channel === 'ticker' && concerns(subscription, ticker)) this.sendTicker(subscription, ticker);
    }
  }

  private subscribe(id: number | undefined, params: CommandParams): void {
    if (params.channels.length === 0) throw new CommandRefused('channelsRequired');
    const channels = params.channels.map((name) => {
      const channel = CHANNELS.find((known) => known === name);
      if (!channel) throw new CommandRefused('unknownChannel');
      if (this.all().some((own) => own.channel === channel)) throw new CommandRefused('alreadySubscribed');
      if (channel === 'orderbook_delta' && params.tickers.length === 0) throw new CommandRefused('marketRequired');
      return channel;
    });
    this.checkMarkets(params.tickers);
    for (const channel of channels) {
      const isForAll = params.tickers.length === 0 || channel === 'market_lifecycle_v2';
      const tickers = isForAll ? undefined : new Set(params.tickers);
      const sid = (this.lastSid += 1);
      const subscription = { sid, channel, tickers, usesYesPrice: params.usesYesPrice, seq: 0 };
      this.subscriptions.set(sid, subscription);
      this.send({ id, type: 'subscribed', msg: { channel, sid } });
      this.begin(subscription, params.tickers, params.wantsSnapshot);
    }
  }

  /** What a subscription hears first of markets. */
  private begin(subscription: Subscription, tickers: readonly string[], wantsSnapshot: boolean): void {
    for (const ticker of tickers) {
      if (subscription.channel === 'orderbook_delta') this.sendSnapshot(subscription, ticker);
      else if (subscription.channel === 'ticker' && wantsSnapshot) this.sendTicker(subscription, ticker);
    }
  }

  private unsubscribe(id: number | undefined, { sids }: CommandParams): void {
    if (sids.length === 0) throw new CommandRefused('sidsRequired');
    if (sids.some((sid) => !this.subscriptions.has(sid))) throw new CommandRefused('unknownSid');
    for (const sid of sids) {
      const { seq } = this.subscriptions.get(sid)!;
      this.subscriptions.delete(sid);
      this.send({ id, type: 'unsubscribed', sid, seq });
    }
  }

  private update(id: number | undefined, { sids, action, tickers }: CommandParams): void {
    const [sid] = sids;
    if (sid === undefined || sids.length > 1) throw new CommandRefused('oneSidRequired');
    const subscription = this.subscriptions.get(sid);
    if (!subscription) throw new CommandRefused('unknownSid');
    if (tickers.length === 0) throw new CommandRefused('marketRequired');
    this.checkMarkets(tickers);
    const own = subscription.tickers;
    if (action === 'delete_markets') for (const ticker of tickers) own?.delete(ticker);
    else if (action === 'add_markets') for (const ticker of tickers) own?.add(ticker);
    else if (action !== 'get_snapshot') throw new CommandRefused('unsupportedAction');
    this.send({ id, type: 'ok', sid, seq: subscription.seq, msg: { market_tickers: own ? [...own] : [] } });
    if (action !== 'delete_markets') this.begin(subscription, tickers, action === 'get_snapshot');
  }

  private list(id: number | undefined): void {
    const subscriptions = this.all().map(({ sid, channel }) => ({ channel, sid }));
    this.send({ id, type: 'ok', msg: subscriptions });
  }

  private all(): Subscription[] {
    return [...this.subscriptions.values()];
  }

  private checkMarkets(tickers: readonly string[]): void {
    if (tickers.some((ticker) => !this.exchange.market(ticker))) throw new CommandRefused('marketNotFound');
  }

  private sendSnapshot(subscription: Subscription, ticker: string): void {
    subscription.seq += 1;
    const msg = snapshotMessage(ticker, this.exchange.book(ticker), subscription.usesYesPrice);
    this.send({ type: 'orderbook_snapshot', sid: subscription.sid, seq: subscription.seq, msg });
  }

  private sendTicker({ sid }: Subscription, ticker: string): void {
    const msg = tickerMessage(this.exchange.market(ticker)!, this.exchange.book(ticker), this.exchange.nowMs());
    this.send({ type: 'ticker', sid, msg });
  }

  private publishOne(subscription: Subscription, event: ExchangeEvent): void {
    const { sid, channel } = subscription;
    const { kind } = event;
    if (kind === 'fill' && channel === 'fill') {
      this.send({ type: 'fill', sid, msg: fillMessage(event.fill, event.positionHundredths) });
    } else if (kind === 'order' && channel === 'user_orders') {
      this.send({ type: 'user_order', sid, msg: orderMessage(event.order) });
    } else if (kind === 'position' && channel === 'market_positions') {
      const volume = this.exchange.market(event.position.ticker)?.volumeHundredths ?? 0n;
      this.send({ type: 'market_position', sid, msg: positionMessage(event.position, volume) });
    } else if (kind === 'lifecycle' && channel === 'market_lifecycle_v2') {
      this.send({ type: 'market_lifecycle_v2', sid, msg: lifecycleMessage(event) });
    } else if (kind === 'trade' && channel === 'trade') {
      this.send({ type: 'trade', sid, msg: tradeMessage(event.trade) });
    } else if (kind === 'book' && channel === 'orderbook_delta') {
      subscription.seq += 1;
      this.send({
        type: 'orderbook_delta',
        sid,
        seq: subscription.seq,
        msg: deltaMessage(event, subscription.usesYesPrice),
      });
    }
  }
}

function required(params: CommandParams | undefined): CommandParams {
  if (!params) throw new CommandRefused('paramsRequired');
  return params;
}

function concerns({ tickers }: Subscription, ticker: string): boolean {
  return tickers === undefined || tickers.has(ticker);
}

/** The market something happened in. */
export function tickerOf(event: ExchangeEvent): string {
  switch (event.kind) {
    case 'order':
      return event.order.ticker;
    case 'fill':
      return event.fill.ticker;
    case 'position':
      return event.position.ticker;
    case 'trade':
      return event.trade.ticker;
    case 'lifecycle':
      return event.market.ticker;
    case 'book':
      return event.ticker;
  }
}
