import type { JsonRoute } from '../../http/json-server.js';
import type { ExchangeWorld } from '../world/exchange-world.js';

const SPORTS = 'Sports';

interface SportFilters {
  readonly scopes: Set<string>;
  readonly competitions: Map<string, Set<string>>;
}

/** What can be searched for: tags of each category, scopes and competitions of each sport. */
export function searchRoutes({ world }: { readonly world: ExchangeWorld }): JsonRoute[] {
  return [
    {
      method: 'GET',
      path: '/search/tags_by_categories',
      answer: () => ({ body: { tags_by_categories: tagsByCategories(world) } }),
    },
    { method: 'GET', path: '/search/filters_by_sport', answer: () => ({ body: filtersBySport(world) }) },
  ];
}

function tagsByCategories(world: ExchangeWorld): Record<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const { categories, tags } of world.series.values()) {
    for (const category of categories) {
      const known = found.get(category) ?? new Set();
      for (const tag of tags) known.add(tag);
      found.set(category, known);
    }
  }
  return Object.fromEntries([...found].map(([category, tags]) => [category, [...tags]]));
}

function filtersBySport(world: ExchangeWorld): unknown {
  const found = new Map<string, SportFilters>();
  for (const { seriesTicker, competition, scope } of world.events.values()) {
    const series = world.series.get(seriesTicker)!;
    if (series.category !== SPORTS || competition === undefined || scope === undefined) continue;
    const sport = series.tags[0] ?? SPORTS;
    const filters = found.get(sport) ?? { scopes: new Set(), competitions: new Map<string, Set<string>>() };
    found.set(sport, filters);
    const scopes = filters.competitions.get(competition) ?? new Set();
    filters.competitions.set(competition, scopes.add(scope));
    filters.scopes.add(scope);
  }
  const sports = [...found].map(([sport, { scopes, competitions }]) => {
    const named = [...competitions].map(([name, own]) => [name, { scopes: [...own] }] as const);
    return [sport, { scopes: [...scopes], competitions: Object.fromEntries(named) }] as const;
  });
  return { filters_by_sports: Object.fromEntries(sports), sport_ordering: sports.map(([sport]) => sport) };
}
