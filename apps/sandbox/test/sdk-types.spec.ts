import { describe, expect, it } from '@jest/globals';
import { misfits } from './sdk-types.js';

describe('misfits', () => {
  const series = {
    ticker: 'S',
    frequency: 'daily',
    title: 'S',
    category: 'C',
    categories: ['C'],
    tags: null,
    settlement_sources: [{ name: 'N', url: 'U' }],
    contract_url: 'U',
    contract_terms_url: 'U',
    fee_type: 'quadratic',
    fee_multiplier: 1,
    additional_prohibitions: [],
  };

  it('finds nothing in what fits', () => {
    expect(misfits({ series }, 'GetSeriesResponse')).toEqual([]);
  });

  it.each([
    [{ frequency: undefined }, 'GetSeriesResponse.series.frequency is missing'],
    [{ colour: 'red' }, 'GetSeriesResponse.series.colour is not declared'],
    [{ fee_multiplier: '1' }, 'GetSeriesResponse.series.fee_multiplier is a string, not a number'],
    [{ fee_type: 'free' }, 'GetSeriesResponse.series.fee_type is "free"'],
    [{ title: null }, 'GetSeriesResponse.series.title is null'],
    [{ categories: [7] }, 'GetSeriesResponse.series.categories[0] is a number, not a string'],
    [{ settlement_sources: [{ uri: '' }] }, 'GetSeriesResponse.series.settlement_sources[0].uri is not declared'],
    [{ tags: 'one' }, 'GetSeriesResponse.series.tags is not a list'],
  ])('finds %j', (change, misfit) => {
    expect(misfits({ series: { ...series, ...change } }, 'GetSeriesResponse')).toEqual([misfit]);
  });

  it('finds words outside an enumeration of a type’s own file', () => {
    expect(misfits({ market: { status: 'open' } }, 'GetMarketResponse')).toContain(
      'GetMarketResponse.market.status is "open"',
    );
  });

  it('finds values that do not fit a dictionary', () => {
    expect(misfits({ tags_by_categories: { a: ['b', 1] } }, 'GetTagsForSeriesCategoriesResponse')).toEqual([
      'GetTagsForSeriesCategoriesResponse.tags_by_categories.a[1] is a number, not a string',
    ]);
  });
});
