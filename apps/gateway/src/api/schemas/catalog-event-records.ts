import { z } from 'zod';
import { composed } from './composed.js';
import { jsonValue } from './json-value.js';
import { marketRecord, nextCursor } from './market-records.js';
import { contracts, factor, time } from './units.js';

/** Records of what markets are about. */

const text = (description: string) => z.string().meta({ description });

const settlementSources = z
  .array(z.strictObject({ name: z.string(), url: z.string() }).meta({ id: 'SettlementSource' }))
  .meta({ description: 'Where results are read, as the exchange says.' });

const eventRecord = z
  .strictObject({
    eventTicker: z.string(),
    seriesTicker: z.string(),
    title: z.string(),
    subTitle: z.string(),
    category: z.string().nullable(),
    mutuallyExclusive: z.boolean().meta({ description: 'Whether at most one of its markets resolves to yes.' }),
    strikeDate: time().nullable().meta({ description: 'When it happens.' }),
    strikePeriod: z.string().nullable().meta({ description: 'When it happens, in words.' }),
    settlementSources,
    lastUpdatedAt: time().nullable(),
  })
  .meta({ id: 'Event' });

const eventDetailRecord = composed('EventDetail', [eventRecord], { markets: z.array(marketRecord) });

const seriesRecord = z
  .strictObject({
    ticker: z.string(),
    title: z.string(),
    category: z.string(),
    categories: z.array(z.string()),
    tags: z.array(z.string()),
    frequency: text('`daily`, `weekly`, `one_off` …'),
    settlementSources,
    contractUrl: z.string(),
    contractTermsUrl: z.string(),
    feeType: text('`quadratic`, `quadratic_with_maker_fees`, `flat` …'),
    feeMultiplier: factor(),
    volume: contracts().nullable().meta({ description: 'Contracts traded ever; null if unknown.' }),
  })
  .meta({ id: 'Series' });

const freeForm = (description: string) => z.record(z.string(), jsonValue).meta({ description });

const milestoneRecord = z
  .strictObject({
    id: z.string(),
    category: z.string(),
    type: z.string(),
    title: z.string(),
    startDate: time(),
    endDate: time().nullable(),
    relatedEventTickers: z.array(z.string()),
    primaryEventTickers: z.array(z.string()),
    notificationMessage: z.string(),
    sourceIds: freeForm('Its ids at the exchange’s sources.'),
    details: freeForm('What is specific to its type.'),
    lastUpdatedAt: time(),
  })
  .meta({ id: 'Milestone' });

const structuredTargetRecord = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    details: freeForm('What is specific to its type.'),
    sourceId: z.string().nullable(),
    lastUpdatedAt: time().nullable(),
  })
  .meta({ id: 'StructuredTarget' });

export const categoriesRecord = z
  .strictObject({
    categories: z.record(z.string(), z.array(z.string())).meta({ description: 'Tags by category.' }),
  })
  .meta({ id: 'CategoriesResult' });

const scopes = z.array(z.string()).meta({ description: 'What of it can be bet on.' });

const competitionRecord = z.strictObject({ scopes }).meta({ id: 'Competition' });

const sportFilterRecord = z
  .strictObject({ scopes, competitions: z.record(z.string(), competitionRecord) })
  .meta({ id: 'SportFilter' });

export const sportsRecord = z
  .strictObject({
    filtersBySports: z.record(z.string(), sportFilterRecord),
    sportOrdering: z.array(z.string()),
  })
  .meta({ id: 'SportsResult' });

const page = <T extends z.ZodType>(id: string, name: string, record: T) =>
  z.strictObject({ [name]: z.array(record), cursor: nextCursor() }).meta({ id });

const one = <T extends z.ZodType>(id: string, name: string, record: T) =>
  z.strictObject({ [name]: record }).meta({ id });

export const eventPage = page('EventPage', 'events', eventRecord);
export const eventResult = one('EventResult', 'event', eventDetailRecord);
export const seriesPage = page('SeriesPage', 'series', seriesRecord);
export const seriesResult = one('SeriesResult', 'series', seriesRecord);
export const milestonePage = page('MilestonePage', 'milestones', milestoneRecord);
export const milestoneResult = one('MilestoneResult', 'milestone', milestoneRecord);
export const structuredTargetPage = page('StructuredTargetPage', 'structuredTargets', structuredTargetRecord);
export const structuredTargetResult = one('StructuredTargetResult', 'structuredTarget', structuredTargetRecord);
