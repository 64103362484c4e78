import { z } from 'zod';
import { list } from './fields.js';

const tags = list(z.string());

/** Response of `GET /search/tags_by_categories`. */
export const tagsResponse = z
  .object({ tags_by_categories: z.record(z.string(), tags) })
  .transform((wire) => Object.entries(wire.tags_by_categories).map(([name, all]) => ({ name, tags: all })));

/** A category and its tags. */
export type CategoryRecord = z.output<typeof tagsResponse>[number];

const sport = z.object({
  scopes: list(z.string()),
  competitions: z
    .record(z.string(), z.object({ scopes: list(z.string()) }))
    .nullish()
    .transform((all) => Object.entries(all ?? {}).map(([name, { scopes }]) => ({ name, scopes }))),
});

/** Response of `GET /search/filters_by_sport`. */
export const sportsResponse = z
  .object({ filters_by_sports: z.record(z.string(), sport), sport_ordering: list(z.string()) })
  .transform((wire) => ({
    sports: Object.entries(wire.filters_by_sports).map(([name, filters]) => ({ name, ...filters })),
    ordering: wire.sport_ordering,
  }));

/** Filters for sports. */
export type SportsRecord = z.output<typeof sportsResponse>;
