import type { EventRecord, SeriesRecord } from '../records.js';
import { cents, chance, type SeedBuilder, shares } from './seed-builder.js';

/** Questions with a few outcomes: rates, seats, prizes; one that pays a share; and combos of others. */
export function writeChoices(seedBuilder: SeedBuilder): void {
  writeRates(seedBuilder);
  writeSenate(seedBuilder);
  writePrize(seedBuilder);
  writeTurnout(seedBuilder);
  writeCombos(seedBuilder);
}

type Outcome = readonly [code: string, name: string];

function writeOutcomes(
  seedBuilder: SeedBuilder,
  event: EventRecord,
  outcomes: readonly Outcome[],
  closeDay: number,
): void {
  const fair = shares(outcomes.map(([code]) => `${event.ticker}/${code}`));
  for (const [i, [suffix, yes]] of outcomes.entries()) {
    seedBuilder.market(event, {
      suffix,
      yes,
      rules: `If the answer is “${yes}”, the market resolves to Yes.`,
      strike: { type: 'custom', custom: { outcome: yes } },
      closeDay,
      fairCents: fair[i]!,
    });
  }
}

function writeRates(seedBuilder: SeedBuilder): void {
  const series = seedBuilder.series({
    ticker: 'KXFED',
    frequency: 'custom',
    title: 'Rate decision',
    category: 'Economics',
    categories: ['Economics', 'Politics'],
    tags: ['Fed', 'Interest rates'],
    sources: [{ name: 'Federal Reserve', url: 'https://example.com/rates' }],
  });
  const outcomes: Outcome[] = [
    ['H50', 'Raised by 50 points or more'],
    ['H25', 'Raised by 25 points'],
    ['H0', 'Left as it is'],
    ['C25', 'Cut by 25 points'],
    ['C50', 'Cut by 50 points or more'],
  ];
  for (const [i, closeDay] of [38, 80, 122, 164].entries()) {
    const event = seedBuilder.event(series, {
      suffix: seedBuilder.code(closeDay),
      title: `What will the rate decision of ${seedBuilder.date(closeDay)} be?`,
      subTitle: seedBuilder.date(closeDay),
      isMutuallyExclusive: true,
      strikeDateMs: seedBuilder.day(closeDay, 15),
      // The next decision is the one that people trade most: its fees are halved.
      ...(i === 0 && { fee: { type: 'quadratic', multiplier: '0.5' } as const }),
    });
    if (event.fee) {
      const { type: feeType, multiplier: feeMultiplier } = event.fee;
      const from = { seriesTicker: series.ticker, eventTicker: event.ticker, fromMs: seedBuilder.day(-10) };
      seedBuilder.feeChange({ ...from, feeType, feeMultiplier });
    }
    writeOutcomes(seedBuilder, event, outcomes, closeDay);
  }
}

function writeSenate(seedBuilder: SeedBuilder): void {
  const series = seedBuilder.series({
    ticker: 'KXSENATE',
    frequency: 'one-off',
    title: 'Senate control',
    category: 'Politics',
    tags: ['Elections', 'Congress'],
    sources: [{ name: 'Library of Congress', url: 'https://example.com/senate' }],
  });
  const event = seedBuilder.event(series, {
    suffix: seedBuilder.code(300).slice(0, 2),
    title: 'Which party will control the Senate?',
    subTitle: 'After the next election',
    isMutuallyExclusive: true,
    strikePeriod: 'term',
  });
  writeOutcomes(
    seedBuilder,
    event,
    [
      ['D', 'Democratic Party'],
      ['R', 'Republican Party'],
    ],
    300,
  );
  // Makers will pay, too, once every market of today has closed.
  const feeType = 'quadratic_with_maker_fees';
  seedBuilder.feeChange({ seriesTicker: series.ticker, feeType, feeMultiplier: '1', fromMs: seedBuilder.day(330) });
  seedBuilder.milestone({
    category: 'Elections',
    type: 'political_race',
    startMs: seedBuilder.day(300),
    title: 'Senate election',
    message: 'Votes are being counted',
    events: [event.ticker],
    details: {},
  });
}

function writePrize(seedBuilder: SeedBuilder): void {
  const series = seedBuilder.series({
    ticker: 'KXBESTPIC',
    frequency: 'annual',
    title: 'Best picture',
    category: 'Entertainment',
    tags: ['Awards', 'Movies'],
    sources: [{ name: 'The academy', url: 'https://example.com/awards' }],
  });
  const event = seedBuilder.event(series, {
    suffix: seedBuilder.code(110).slice(0, 2),
    title: 'Which film wins best picture?',
    subTitle: 'This year',
    isMutuallyExclusive: true,
    strikePeriod: 'year',
  });
  const films = ['Harbor Light', 'The Long Field', 'Nine Bridges', 'Paper Moons', 'Quiet Engines'];
  films.push('Rooms of Salt', 'Second Winter', 'Tall Water', 'Under Glass', 'Velvet Road');
  const outcomes = films.map((film): Outcome => [film.replaceAll(/[^A-Z]/g, '') + film.length, film]);
  writeOutcomes(seedBuilder, event, outcomes, 110);
}

function writeTurnout(seedBuilder: SeedBuilder): void {
  const series = seedBuilder.series({
    ticker: 'KXTURNOUT',
    frequency: 'one-off',
    title: 'Turnout',
    category: 'Politics',
    tags: ['Elections'],
    sources: [{ name: 'Election commission', url: 'https://example.com/turnout' }],
  });
  const event = seedBuilder.event(series, {
    suffix: seedBuilder.code(300).slice(0, 2),
    title: 'What share of voters will vote?',
    subTitle: 'Next election',
    strikePeriod: 'term',
  });
  seedBuilder.market(event, {
    suffix: 'SHARE',
    yes: 'Share of voters who vote',
    rules: 'Pays the share of eligible voters who vote: 55% pays $0.55.',
    marketType: 'scalar',
    closeDay: 300,
    fairCents: 61,
  });
}

/** Combos stand apart from ordinary events: their markets come true when all their legs do. */
function writeCombos(seedBuilder: SeedBuilder): void {
  const series: SeriesRecord = seedBuilder.series({
    ticker: 'KXMVECOMBO',
    frequency: 'custom',
    title: 'Combo',
    category: 'Sports',
    tags: ['Combos'],
    sources: [],
    feeType: 'quadratic_with_combo_maker_fees',
  });
  const legs = seedBuilder.world.markets.filter(
    ({ text, terms }) => text.strike?.type === 'structured' && terms.closeTimeMs > seedBuilder.day(1),
  );
  const event = seedBuilder.event(series, {
    suffix: 'S1',
    title: 'Winners of two games',
    subTitle: 'Combo',
    collection: 'KXMVECOMBO-R',
  });
  for (const suffix of ['A', 'B']) {
    const chosen = [0, 1].map((i) => legs[Math.floor(chance(`${suffix}/${i}`) * 8) * 2 + i]!.text);
    seedBuilder.market(event, {
      suffix,
      yes: chosen.map((leg) => `yes ${leg.yesSubTitle}`).join(', '),
      rules: 'If all legs come true, the market resolves to Yes.',
      closeDay: 45,
      fairCents: cents(0.15 + chance(`combo/${suffix}`) / 5),
      legs: chosen.map(({ ticker, eventTicker }) => ({ marketTicker: ticker, eventTicker, side: 'yes' })),
    });
  }
}
