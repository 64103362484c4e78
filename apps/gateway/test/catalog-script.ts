import { predictionV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';

const { MarketStatus } = predictionV1;

/** 2026-11-21T10:00:00Z */
export const NOON_MS = 1_795_255_200_000n;

/** An open market: 62 to 65 for yes, by tenths of a cent. */
export const MARKET: predictionV1.Market = {
  ticker: 'KXFED-26DEC-T4.00',
  eventTicker: 'KXFED-26DEC',
  title: 'Above 4.00%?',
  subtitle: 'What it resolves on.',
  status: MarketStatus.MARKET_STATUS_OPEN,
  paused: false,
  yesBidUsdMicros: 624_000n,
  yesAskUsdMicros: 645_000n,
  noBidUsdMicros: 355_000n,
  noAskUsdMicros: 376_000n,
  lastPriceUsdMicros: 635_000n,
  volume24hHundredths: 125_050n,
  openInterestHundredths: 980_000n,
  closeTimeMs: NOON_MS,
  details: undefined,
};

/** What the details of that market tell. */
export const DETAILS: predictionV1.MarketDetails = {
  marketType: 'binary',
  yesSubTitle: 'Above',
  noSubTitle: 'Not above',
  openTimeMs: NOON_MS,
  expectedExpirationTimeMs: NOON_MS,
  latestExpirationTimeMs: NOON_MS,
  settlementTimerSeconds: 3_600,
  volumeHundredths: 5_421_000n,
  previousPriceUsdMicros: 614_999n,
  result: '',
  canCloseEarly: true,
  strikeType: 'greater',
  floorStrike: '4.00',
  capStrike: '',
  rulesPrimary: 'Rules.',
  rulesSecondary: '',
};

export const EVENT: predictionV1.Event = {
  eventTicker: 'KXFED-26DEC',
  seriesTicker: 'KXFED',
  title: 'Fed decision in December',
  subTitle: 'December 2026',
  category: 'Economics',
  mutuallyExclusive: true,
  strikeDateMs: NOON_MS,
  strikePeriod: '',
  settlementSources: [{ name: 'Federal Reserve', url: 'https://www.federalreserve.gov' }],
  lastUpdatedAtMs: NOON_MS,
};

export const SERIES: predictionV1.Series = {
  ticker: 'KXFED',
  title: 'Fed funds rate',
  category: 'Economics',
  categories: ['Economics', 'Financials'],
  tags: ['Fed'],
  frequency: 'monthly',
  settlementSources: [],
  contractUrl: 'https://exchange.example/c',
  contractTermsUrl: 'https://exchange.example/t',
  feeType: 'quadratic',
  feeMultiplier: '0.5',
  volumeHundredths: 12_050_000n,
};

export const MILESTONE: predictionV1.Milestone = {
  id: '6d1f8a52-9a4f-4d0e-8f43-0f5f3c1e2a11',
  category: 'Sports',
  type: 'football_game',
  title: 'Bears at Lions',
  startDateMs: NOON_MS,
  endDateMs: NOON_MS,
  relatedEventTickers: ['A', 'B'],
  primaryEventTickers: ['A'],
  notificationMessage: 'Soon.',
  sourceIdsJson: '{"feed":"17"}',
  detailsJson: '{"week":12,"ratio":0.10000000000000000001}',
  lastUpdatedAtMs: NOON_MS,
};

export const TARGET: predictionV1.StructuredTarget = {
  id: '0b6e0a3c-54a5-4d31-9f66-3d2c8f1b7e90',
  name: 'Detroit Lions',
  type: 'football_team',
  detailsJson: '{"league":"NFL"}',
  sourceId: '8',
  lastUpdatedAtMs: NOON_MS,
};

/** An exchange with one thing of each kind. */
export function catalogScript(): GrpcController<predictionV1.CatalogServiceService> {
  const named = <T>(asked: string, name: string, answer: T): T => {
    if (asked !== name) throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
    return answer;
  };
  return {
    listCategories: async () => ({ categories: [{ name: 'Economics', tags: ['Fed', 'Inflation'] }] }),
    listSports: async () => ({
      sports: [
        {
          name: 'Football',
          scopes: ['Games', 'Futures'],
          competitions: [{ name: 'NFL', scopes: ['Games'] }],
        },
      ],
      ordering: ['Football'],
    }),
    listMarkets: async () => ({ markets: [MARKET], cursor: 'next-page' }),
    getMarket: async ({ ticker }) => named(ticker, MARKET.ticker, { market: { ...MARKET, details: DETAILS } }),
    getOrderbook: async ({ ticker }) =>
      named(ticker, MARKET.ticker, {
        orderbook: {
          ticker,
          yes: [
            { priceUsdMicros: 610_000n, countHundredths: 40_000n },
            { priceUsdMicros: 624_000n, countHundredths: 150n },
          ],
          no: [],
        },
      }),
    listEvents: async () => ({ events: [EVENT], cursor: '' }),
    getEvent: async ({ eventTicker }) => named(eventTicker, EVENT.eventTicker, { event: EVENT, markets: [MARKET] }),
    listSeries: async () => ({ series: [SERIES], cursor: '' }),
    getSeries: async ({ seriesTicker }) => named(seriesTicker, SERIES.ticker, { series: SERIES }),
    listMilestones: async () => ({ milestones: [MILESTONE], cursor: '' }),
    getMilestone: async ({ milestoneId }) => named(milestoneId, MILESTONE.id, { milestone: MILESTONE }),
    listStructuredTargets: async () => ({ structuredTargets: [TARGET], cursor: '' }),
    getStructuredTarget: async ({ structuredTargetId }) =>
      named(structuredTargetId, TARGET.id, { structuredTarget: TARGET }),
  };
}
