import { predictionV1 } from '@agent-wallet/contracts';
import { required } from '../../ports/services.js';
import { contracts, dollarsText, exactCents, orNull, priceDown, priceNear, priceUp } from './cents.js';
import { type ExactJson, isoTime, textNumber } from './exact-json.js';

const { MarketStatus } = predictionV1;

const STATUSES = {
  unopened: MarketStatus.MARKET_STATUS_UNOPENED,
  open: MarketStatus.MARKET_STATUS_OPEN,
  closed: MarketStatus.MARKET_STATUS_CLOSED,
  settled: MarketStatus.MARKET_STATUS_SETTLED,
} as const;

const STATUS_NAMES = new Map(Object.entries(STATUSES).map(([name, status]) => [status as number, name]));

/** Returns the status filter that a caller named; any when it named none. */
export function statusFilter(name: keyof typeof STATUSES | undefined): predictionV1.MarketStatus {
  return name ? STATUSES[name] : MarketStatus.MARKET_STATUS_UNSPECIFIED;
}

/** Returns a market as specification 2.6 lists it. */
export function marketResponse(market: predictionV1.Market): Record<string, ExactJson> {
  return {
    ticker: market.ticker,
    eventTicker: market.eventTicker,
    title: market.title,
    subtitle: market.subtitle,
    status: required(STATUS_NAMES.get(market.status), 'status'),
    paused: market.paused,
    yesBid: orNull(market.yesBidUsdMicros, priceDown),
    yesAsk: orNull(market.yesAskUsdMicros, priceUp),
    noBid: orNull(market.noBidUsdMicros, priceDown),
    noAsk: orNull(market.noAskUsdMicros, priceUp),
    lastPrice: orNull(market.lastPriceUsdMicros, priceNear),
    yesBidDollars: orNull(market.yesBidUsdMicros, dollarsText),
    yesAskDollars: orNull(market.yesAskUsdMicros, dollarsText),
    noBidDollars: orNull(market.noBidUsdMicros, dollarsText),
    noAskDollars: orNull(market.noAskUsdMicros, dollarsText),
    lastPriceDollars: orNull(market.lastPriceUsdMicros, dollarsText),
    volume24h: contracts(market.volume24hHundredths),
    openInterest: contracts(market.openInterestHundredths),
    closeTime: isoTime(market.closeTimeMs),
  };
}

/** Returns a market with its details. */
export function marketDetailResponse(market: predictionV1.Market): ExactJson {
  const details = required(market.details, 'details');
  return {
    ...marketResponse(market),
    marketType: details.marketType,
    yesSubTitle: details.yesSubTitle,
    noSubTitle: details.noSubTitle,
    openTime: isoTime(details.openTimeMs),
    expectedExpirationTime: orNull(details.expectedExpirationTimeMs, isoTime),
    latestExpirationTime: isoTime(details.latestExpirationTimeMs),
    settlementTimerSeconds: details.settlementTimerSeconds,
    volume: contracts(details.volumeHundredths),
    previousPrice: orNull(details.previousPriceUsdMicros, priceNear),
    previousPriceDollars: orNull(details.previousPriceUsdMicros, dollarsText),
    result: details.result,
    settlementValue: orNull(details.settlementValueUsdMicros, exactCents),
    settlementValueDollars: orNull(details.settlementValueUsdMicros, dollarsText),
    settledAt: orNull(details.settledAtMs, isoTime),
    canCloseEarly: details.canCloseEarly,
    strikeType: details.strikeType || null,
    floorStrike: details.floorStrike ? textNumber(details.floorStrike) : null,
    capStrike: details.capStrike ? textNumber(details.capStrike) : null,
    rulesPrimary: details.rulesPrimary,
    rulesSecondary: details.rulesSecondary,
  };
}

/** Returns the bids in a market, the best price last. */
export function orderbookResponse({ ticker, yes, no }: predictionV1.Orderbook): ExactJson {
  return { ticker, yes: yes.map(levelResponse), no: no.map(levelResponse) };
}

function levelResponse({ priceUsdMicros, countHundredths }: predictionV1.PriceLevel): ExactJson {
  return {
    price: priceDown(priceUsdMicros),
    priceDollars: dollarsText(priceUsdMicros),
    quantity: contracts(countHundredths),
  };
}
