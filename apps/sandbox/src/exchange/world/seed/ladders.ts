import type { PriceStructure } from '../records.js';
import { above, cents, chance, type SeedBuilder } from './seed-builder.js';

/** A series about one number, each event a ladder of strikes: above each, or between two. */
interface Ladder {
  readonly ticker: string;
  readonly title: string;
  readonly category: string;
  readonly categories?: readonly string[];
  readonly tags: readonly string[];
  readonly frequency: string;
  readonly source: string;
  readonly feeMultiplier?: string;
  readonly priceStructure?: PriceStructure;
  readonly question: string;
  readonly unit: string;
  readonly type: 'greater' | 'between';
  /** The first strike and the step between strikes, in units of `10^-decimals`. */
  readonly first: number;
  readonly step: number;
  readonly decimals: number;
  readonly strikes: number;
  readonly closeDays: readonly number[];
  /** The event that has not opened yet. */
  readonly unopened?: number;
  /** The event whose trading is paused. */
  readonly paused?: number;
}

const LADDERS: readonly Ladder[] = [
  {
    ticker: 'KXCPIYOY',
    title: 'Inflation',
    category: 'Economics',
    tags: ['Inflation', 'Economy'],
    frequency: 'monthly',
    source: 'Bureau of Labor Statistics',
    question: 'Inflation over the year',
    unit: '%',
    type: 'greater',
    first: 24,
    step: 2,
    decimals: 1,
    strikes: 5,
    closeDays: [35, 65, 95, 125],
    unopened: 3,
  },
  {
    ticker: 'KXU3',
    title: 'Unemployment rate',
    category: 'Economics',
    tags: ['Employment', 'Economy'],
    frequency: 'monthly',
    source: 'Bureau of Labor Statistics',
    question: 'Unemployment rate',
    unit: '%',
    type: 'greater',
    first: 38,
    step: 1,
    decimals: 1,
    strikes: 5,
    closeDays: [40, 70, 100],
  },
  {
    ticker: 'KXAPPROVE',
    title: 'Approval rating',
    category: 'Politics',
    tags: ['Polls'],
    frequency: 'weekly',
    source: 'The polls’ average',
    question: 'Approval on the day',
    unit: '%',
    type: 'between',
    first: 400,
    step: 10,
    decimals: 1,
    strikes: 6,
    closeDays: [33, 63],
  },
  {
    ticker: 'KXBTCD',
    title: 'Bitcoin price',
    category: 'Crypto',
    tags: ['BTC'],
    frequency: 'monthly',
    source: 'The real-time index',
    priceStructure: 'deci_cent',
    question: 'Bitcoin in dollars',
    unit: ' USD',
    type: 'greater',
    first: 90_000,
    step: 5_000,
    decimals: 0,
    strikes: 8,
    closeDays: [31, 61, 181],
  },
  {
    ticker: 'KXETHD',
    title: 'Ethereum price',
    category: 'Crypto',
    tags: ['ETH'],
    frequency: 'monthly',
    source: 'The real-time index',
    priceStructure: 'deci_cent',
    question: 'Ether in dollars',
    unit: ' USD',
    type: 'greater',
    first: 3_000,
    step: 250,
    decimals: 0,
    strikes: 6,
    closeDays: [31, 61],
  },
  {
    ticker: 'KXHIGHNY',
    title: 'Highest temperature in New York',
    category: 'Climate and Weather',
    tags: ['Temperature'],
    frequency: 'daily',
    source: 'National Weather Service',
    question: 'Highest temperature in New York',
    unit: '°',
    type: 'between',
    first: 38,
    step: 2,
    decimals: 0,
    strikes: 6,
    closeDays: [30, 31, 32, 33],
    paused: 3,
  },
  {
    ticker: 'KXRAINSEA',
    title: 'Rain in Seattle',
    category: 'Climate and Weather',
    categories: ['Climate and Weather', 'Science'],
    tags: ['Rain'],
    frequency: 'monthly',
    source: 'National Weather Service',
    feeMultiplier: '0.5',
    question: 'Inches of rain in Seattle',
    unit: ' in',
    type: 'greater',
    first: 3,
    step: 1,
    decimals: 0,
    strikes: 4,
    closeDays: [40, 70, 100],
  },
];

/** Numbers to come: inflation, rain, what a coin costs. */
export function writeLadders(seedBuilder: SeedBuilder): void {
  for (const ladder of LADDERS) writeLadder(seedBuilder, ladder);
}

function writeLadder(seedBuilder: SeedBuilder, ladder: Ladder): void {
  const { categories, feeMultiplier } = ladder;
  const series = seedBuilder.series({
    ...ladder,
    ...(categories && { categories }),
    ...(feeMultiplier && { feeMultiplier }),
    sources: [{ name: ladder.source, url: 'https://example.com/figures' }],
  });
  for (const [number, closeDay] of ladder.closeDays.entries()) {
    const event = seedBuilder.event(series, {
      suffix: seedBuilder.code(closeDay),
      title: `${ladder.question}, ${seedBuilder.date(closeDay)}?`,
      subTitle: seedBuilder.date(closeDay),
      isMutuallyExclusive: ladder.type === 'between',
      strikeDateMs: seedBuilder.day(closeDay, 15),
    });
    const middle = (chance(event.ticker) * 0.6 + 0.2) * ladder.strikes;
    for (let rung = 0; rung < ladder.strikes; rung += 1) {
      seedBuilder.market(event, {
        ...rungOf(ladder, rung),
        rules: `The figure for ${seedBuilder.date(closeDay)} decides.`,
        closeDay,
        fairCents: fairCents(ladder.type, rung, middle),
        ...(ladder.priceStructure && { priceStructure: ladder.priceStructure }),
        ...(number === ladder.unopened && { openDay: closeDay - 30 }),
        ...(number === ladder.paused && { isPaused: true }),
      });
    }
    seedBuilder.milestone({
      category: ladder.category,
      type: 'release',
      startMs: seedBuilder.day(closeDay, 15),
      title: event.title,
      message: `${ladder.title}: the figure comes out soon`,
      events: [event.ticker],
      details: { source: ladder.source },
    });
  }
}

function rungOf({ type, first, step, decimals, unit }: Ladder, rung: number) {
  const at = first + rung * step;
  const floor = decimalText(at, decimals);
  if (type === 'greater') return { suffix: `T${floor}`, yes: `Above ${floor}${unit}`, strike: { type, floor } };
  const cap = decimalText(at + step, decimals);
  return { suffix: `B${floor}`, yes: `${floor} to ${cap}${unit}`, strike: { type, floor, cap } };
}

function decimalText(digits: number, decimals: number): string {
  return decimals === 0 ? String(digits) : `${Math.floor(digits / 10)}.${digits % 10}`;
}

function fairCents(type: Ladder['type'], rung: number, middle: number): number {
  const share = above(rung, middle, 1);
  return cents(type === 'greater' ? share : share - above(rung + 1, middle, 1));
}
