import type { EventRecord, SeriesRecord } from '../records.js';
import { cents, chance, type SeedBuilder, shares } from './seed-builder.js';

const TEAMS = [
  ['ATL', 'Atlanta'],
  ['BOS', 'Boston'],
  ['CHI', 'Chicago'],
  ['CLE', 'Cleveland'],
  ['DAL', 'Dallas'],
  ['DEN', 'Denver'],
  ['DET', 'Detroit'],
  ['HOU', 'Houston'],
  ['IND', 'Indiana'],
  ['LA', 'Los Angeles'],
  ['MIA', 'Miami'],
  ['MIN', 'Minnesota'],
  ['NY', 'New York'],
  ['PHI', 'Philadelphia'],
  ['SEA', 'Seattle'],
  ['WAS', 'Washington'],
] as const;

const PLAYERS = [
  ['ALM', 'Almeida'],
  ['BRE', 'Brenner'],
  ['COS', 'Costa'],
  ['DUV', 'Duval'],
  ['ERI', 'Eriksen'],
  ['FUJ', 'Fujita'],
  ['GAR', 'Garza'],
  ['HOL', 'Holm'],
] as const;

type Side = readonly [code: string, name: string];

/** Games between two, each with a market for either winner. */
interface League {
  readonly ticker: string;
  readonly sport: string;
  readonly competition: string;
  readonly game: string;
  readonly targetType: string;
  readonly sides: readonly Side[];
  readonly games: number;
}

const LEAGUES: readonly League[] = [
  {
    ticker: 'KXPBGAME',
    sport: 'Basketball',
    competition: 'Pro Basketball',
    game: 'basketball_game',
    targetType: 'basketball_team',
    sides: TEAMS,
    games: 10,
  },
  {
    ticker: 'KXPFGAME',
    sport: 'Football',
    competition: 'Pro Football',
    game: 'football_game',
    targetType: 'football_team',
    sides: TEAMS,
    games: 10,
  },
  {
    ticker: 'KXTENNIS',
    sport: 'Tennis',
    competition: 'Winter Open',
    game: 'tennis_match',
    targetType: 'tennis_player',
    sides: PLAYERS,
    games: 4,
  },
];

/** Games of three leagues, one of them over and one waiting for its result, and who wins the season. */
export function writeSports(seedBuilder: SeedBuilder): void {
  for (const league of LEAGUES) writeGames(seedBuilder, league);
  writeChampion(seedBuilder);
}

function writeGames(seedBuilder: SeedBuilder, league: League): void {
  const series = seedBuilder.series({
    ticker: league.ticker,
    frequency: 'custom',
    title: `${league.competition} Game`,
    category: 'Sports',
    tags: [league.sport],
    sources: [{ name: league.competition, url: 'https://example.com/scores' }],
    feeType: 'quadratic_with_maker_fees',
  });
  // The game of the past comes last, so that lists begin with what can be traded.
  for (let number = league.games - 1; number >= 0; number -= 1) {
    const home = league.sides[(number * 3) % league.sides.length]!;
    const away = league.sides[(number * 3 + 5) % league.sides.length]!;
    writeGame(seedBuilder, series, { league, number, sides: [home, away] });
  }
}

interface Game {
  readonly league: League;
  readonly number: number;
  readonly sides: readonly [home: Side, away: Side];
}

function writeGame(
  seedBuilder: SeedBuilder,
  series: SeriesRecord,
  { league, number, sides: [home, away] }: Game,
): void {
  const isFirst = number === 0;
  const isOver = isFirst && league.game === 'basketball_game';
  const isUndecided = isFirst && league.game === 'football_game';
  const day = isOver ? -4 : isUndecided ? -1 : 30 + number * 3;
  const event = seedBuilder.event(series, {
    suffix: `${seedBuilder.code(day)}${away[0]}${home[0]}`,
    title: `${away[1]} at ${home[1]}: who wins?`,
    subTitle: `${away[0]} at ${home[0]} (${seedBuilder.date(day)})`,
    isMutuallyExclusive: true,
    strikeDateMs: seedBuilder.day(day, 20),
    competition: league.competition,
    scope: 'Games',
  });
  const homeCents = cents(0.25 + chance(event.ticker) / 2);
  const targets = [home, away].map(([code, name]) => {
    const id = seedBuilder.target(league.targetType, name, { abbreviation: code, league: league.competition });
    seedBuilder.market(event, {
      suffix: code,
      yes: name,
      rules: `If ${name} wins the game on ${seedBuilder.date(day)}, the market resolves to Yes.`,
      strike: { type: 'structured', custom: { [league.targetType]: id } },
      closeDay: isUndecided ? day : day + 1,
      fairCents: code === home[0] ? homeCents : 100 - homeCents,
      ...(isOver && { settled: code === home[0] ? ('yes' as const) : ('no' as const) }),
    });
    return id;
  });
  writeMilestone(seedBuilder, event, { league, day, targets });
}

function writeMilestone(
  seedBuilder: SeedBuilder,
  event: EventRecord,
  { league, day, targets }: { league: League; day: number; targets: string[] },
): void {
  seedBuilder.milestone({
    category: 'Sports',
    type: league.game,
    startMs: seedBuilder.day(day, 20),
    endMs: seedBuilder.day(day, 23),
    title: event.title.replace(': who wins?', ''),
    message: `${event.subTitle} begins soon`,
    events: [event.ticker],
    details: { league: league.competition, home_id: targets[0], away_id: targets[1] },
  });
}

function writeChampion(seedBuilder: SeedBuilder): void {
  const series = seedBuilder.series({
    ticker: 'KXPFCHAMP',
    frequency: 'annual',
    title: 'Pro Football Champion',
    category: 'Sports',
    tags: ['Football'],
    sources: [{ name: 'Pro Football', url: 'https://example.com/season' }],
  });
  const event = seedBuilder.event(series, {
    suffix: seedBuilder.code(200).slice(0, 2),
    title: 'Who wins the football season?',
    subTitle: 'This season',
    isMutuallyExclusive: true,
    strikePeriod: 'season',
    competition: 'Pro Football',
    scope: 'Futures',
  });
  const fair = shares(TEAMS.map(([code]) => `champion/${code}`));
  for (const [i, [code, name]] of TEAMS.entries()) {
    const id = seedBuilder.target('football_team', name, { abbreviation: code, league: 'Pro Football' });
    seedBuilder.market(event, {
      suffix: code,
      yes: name,
      rules: `If ${name} wins the season's last game, the market resolves to Yes.`,
      strike: { type: 'structured', custom: { football_team: id } },
      closeDay: 200,
      fairCents: fair[i]!,
      priceStructure: 'tapered_deci_cent',
    });
  }
}
