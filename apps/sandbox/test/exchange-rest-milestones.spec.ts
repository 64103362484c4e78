import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExchangeClient, type Json } from './exchange-client.js';

let exchange: ExchangeClient;
const get = (route: string) => exchange.get(route);

beforeAll(async () => {
  exchange = await ExchangeClient.start();
});

afterAll(() => exchange.stop());

describe('milestones, targets and searches', () => {
  it('pages through milestones, which need a limit', async () => {
    expect((await get('/milestones')).status).toBe(400);
    const whole = (await get('/milestones?limit=500')).body.milestones;
    expect(await exchange.pages('/milestones?limit=5', 'milestones')).toEqual(whole);
    const [first] = whole;
    expect((await get(`/milestones/${first.id}`)).body).toEqual({ milestone: first });
    expect((await get('/milestones/nobody')).status).toBe(404);
    const event = first.related_event_tickers[0];
    expect((await get(`/milestones?limit=9&related_event_ticker=${event}`)).body.milestones).toEqual([first]);
    const games = (await get('/milestones?limit=500&type=basketball_game&category=Sports')).body.milestones;
    expect(games.length).toBe(10);
    const later = (await get(`/milestones?limit=500&minimum_start_date=${games[5].start_date}`)).body.milestones;
    expect(later).toEqual(whole.filter((one: Json) => one.start_date >= games[5].start_date));
    expect((await get('/milestones?limit=5&minimum_start_date=soon')).status).toBe(400);
  });

  it('pages through targets, and finds them by id, type and competition', async () => {
    const whole = (await get('/structured_targets?page_size=2000')).body.structured_targets;
    expect(await exchange.pages('/structured_targets?page_size=5', 'structured_targets')).toEqual(whole);
    const players = (await get('/structured_targets?type=tennis_player')).body.structured_targets;
    expect(players.length).toBeGreaterThan(0);
    expect((await get('/structured_targets?competition=Winter%20Open')).body.structured_targets).toEqual(players);
    const ids = players.slice(0, 2).map(({ id }: { id: string }) => `ids=${id}`);
    expect((await get(`/structured_targets?${ids.join('&')}`)).body.structured_targets).toEqual(players.slice(0, 2));
    expect((await get(`/structured_targets/${players[0].id}`)).body).toEqual({ structured_target: players[0] });
    expect((await get('/structured_targets/nobody')).status).toBe(404);
  });

  it('says what can be searched for', async () => {
    const { tags_by_categories: tags } = (await get('/search/tags_by_categories')).body;
    expect(tags).toMatchObject({ Sports: ['Basketball', 'Football', 'Tennis', 'Combos'], Crypto: ['BTC', 'ETH'] });
    const { filters_by_sports: sports, sport_ordering: order } = (await get('/search/filters_by_sport')).body;
    expect(Object.keys(sports)).toEqual(order);
    expect(sports.Football).toEqual({
      scopes: ['Games', 'Futures'],
      competitions: { 'Pro Football': { scopes: ['Games', 'Futures'] } },
    });
  });
});
