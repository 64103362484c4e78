import {
  eventResponse,
  eventDetailResponse,
  seriesResponse,
  milestoneResponse,
  structuredTargetResponse,
} from '../application/responses/catalog-event-response.js';
import { statusFilter } from '../application/responses/market-response.js';
import { required } from '../ports/services.js';
import { z } from 'zod';
import { MARKET, READ } from './catalog-routes.js';
import { optionalText, queryCursor, queryInteger } from './schemas/fields.js';
import {
  eventPage,
  eventResult,
  milestonePage,
  milestoneResult,
  seriesPage,
  seriesResult,
  structuredTargetPage,
  structuredTargetResult,
} from './schemas/catalog-event-records.js';
import { defineRoute, type Route } from './route.js';

const EVENT_STATUSES = ['open', 'closed', 'settled'] as const;

const EVENT = {
  eventTicker: 'KXFED-26DEC',
  seriesTicker: 'KXFED',
  title: 'Fed decision in December',
  subTitle: 'December 2026',
  category: 'Economics',
  mutuallyExclusive: false,
  strikeDate: '2026-12-10T19:00:00.000Z',
  strikePeriod: null,
  settlementSources: [{ name: 'Federal Reserve', url: 'https://www.federalreserve.gov' }],
  lastUpdatedAt: '2026-11-20T12:00:00.000Z',
};
const SERIES = {
  ticker: 'KXFED',
  title: 'Fed funds rate',
  category: 'Economics',
  categories: ['Economics'],
  tags: ['Fed'],
  frequency: 'monthly',
  settlementSources: [{ name: 'Federal Reserve', url: 'https://www.federalreserve.gov' }],
  contractUrl: 'https://exchange.example/contracts/FED.pdf',
  contractTermsUrl: 'https://exchange.example/contracts/FED-terms.pdf',
  feeType: 'quadratic',
  feeMultiplier: 1,
  volume: 120500,
};
const MILESTONE = {
  id: '6d1f8a52-9a4f-4d0e-8f43-0f5f3c1e2a11',
  category: 'Sports',
  type: 'football_game',
  title: 'Bears at Lions',
  startDate: '2026-11-26T17:30:00.000Z',
  endDate: null,
  relatedEventTickers: ['KXNFLGAME-26NOV26CHIDET'],
  primaryEventTickers: ['KXNFLGAME-26NOV26CHIDET'],
  notificationMessage: '',
  sourceIds: {},
  details: {},
  lastUpdatedAt: '2026-11-20T12:00:00.000Z',
};
const TARGET = {
  id: '0b6e0a3c-54a5-4d31-9f66-3d2c8f1b7e90',
  name: 'Detroit Lions',
  type: 'football_team',
  details: {},
  sourceId: null,
  lastUpdatedAt: '2026-11-20T12:00:00.000Z',
};

const eventsRoute = defineRoute(
  {
    ...READ,
    id: 'listEvents',
    tool: true,
    path: '/predictions/events',
    summary: 'List events: occurrences that markets are about',
    query: z.strictObject({
      status: z
        .enum(EVENT_STATUSES, `must be one of ${EVENT_STATUSES.join(', ')}`)
        .optional()
        .meta({ description: 'Filter by the status of the event’s markets.' }),
      limit: queryInteger({ min: 1, max: 200, default: 20 }, 'Events in the answer.'),
      cursor: queryCursor(),
    }),
    response: eventPage,
    errors: ['POLICY_VIOLATION'],
    example: { response: { events: [{ ...EVENT }], cursor: '' } },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { catalog } }) => {
    const { limit, cursor: from } = query;
    const status = statusFilter(query.status);
    const { events, cursor } = await catalog.listEvents({ agentId, status, limit, cursor: from });
    return { data: { events: events.map(eventResponse), cursor } };
  },
);

const eventRoute = defineRoute(
  {
    ...READ,
    id: 'getEvent',
    path: '/predictions/events/{event_ticker}',
    summary: 'Get an event with its markets',
    params: z.strictObject({ event_ticker: z.string().meta({ description: '`eventTicker` of an event.' }) }),
    response: eventResult,
    errors: ['POLICY_VIOLATION', 'NOT_FOUND'],
    example: { response: { event: { ...EVENT, markets: [{ ...MARKET }] } } },
  },
  async ({ input: { params }, caller: { agentId } }, { services: { catalog } }) => {
    const { event, markets } = await catalog.getEvent({ agentId, eventTicker: params.event_ticker });
    return { data: { event: eventDetailResponse(required(event, 'event'), markets) } };
  },
);

const seriesListRoute = defineRoute(
  {
    ...READ,
    id: 'listSeries',
    path: '/predictions/series',
    summary: 'List series: topics with events',
    query: z.strictObject({
      category: optionalText(100, 'Only of this category, spelled as `/predictions/categories` does.'),
      limit: queryInteger({ min: 1, max: 200, default: 100 }, 'Series in the answer.'),
      cursor: queryCursor(),
    }),
    response: seriesPage,
    errors: ['POLICY_VIOLATION'],
    example: { response: { series: [SERIES], cursor: '' } },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { catalog } }) => {
    const { series, cursor } = await catalog.listSeries({ agentId, ...query });
    return { data: { series: series.map(seriesResponse), cursor } };
  },
);

const seriesRoute = defineRoute(
  {
    ...READ,
    id: 'getSeries',
    path: '/predictions/series/{series_ticker}',
    summary: 'Get a series',
    params: z.strictObject({ series_ticker: z.string().meta({ description: '`ticker` of a series.' }) }),
    response: seriesResult,
    errors: ['POLICY_VIOLATION', 'NOT_FOUND'],
    example: { response: { series: SERIES } },
  },
  async ({ input: { params }, caller: { agentId } }, { services: { catalog } }) => {
    const { series } = await catalog.getSeries({ agentId, seriesTicker: params.series_ticker });
    return { data: { series: seriesResponse(required(series, 'series')) } };
  },
);

const milestonesRoute = defineRoute(
  {
    ...READ,
    id: 'listMilestones',
    path: '/predictions/milestones',
    summary: 'List milestones: scheduled events such as matches',
    query: z.strictObject({
      category: optionalText(100, 'Only of this category.'),
      competition: optionalText(100, 'Only of this competition, spelled as `/predictions/sports` does.'),
      limit: queryInteger({ min: 1, max: 500, default: 100 }, 'Milestones in the answer.'),
      cursor: queryCursor(),
    }),
    response: milestonePage,
    errors: ['POLICY_VIOLATION'],
    example: { response: { milestones: [MILESTONE], cursor: '' } },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { catalog } }) => {
    const { milestones, cursor } = await catalog.listMilestones({ agentId, ...query });
    return { data: { milestones: milestones.map(milestoneResponse), cursor } };
  },
);

const milestoneRoute = defineRoute(
  {
    ...READ,
    id: 'getMilestone',
    path: '/predictions/milestones/{milestone_id}',
    summary: 'Get a milestone',
    params: z.strictObject({ milestone_id: z.string().meta({ description: '`id` of a milestone.' }) }),
    response: milestoneResult,
    errors: ['POLICY_VIOLATION', 'NOT_FOUND'],
    example: { response: { milestone: MILESTONE } },
  },
  async ({ input: { params }, caller: { agentId } }, { services: { catalog } }) => {
    const { milestone } = await catalog.getMilestone({ agentId, milestoneId: params.milestone_id });
    return { data: { milestone: milestoneResponse(required(milestone, 'milestone')) } };
  },
);

const structuredTargetsRoute = defineRoute(
  {
    ...READ,
    id: 'listStructuredTargets',
    path: '/predictions/structured-targets',
    summary: 'List structured targets: teams, players and the like',
    query: z.strictObject({
      type: optionalText(100, 'Only of this type.'),
      competition: optionalText(100, 'Only of this competition.'),
      limit: queryInteger({ min: 1, max: 2_000, default: 100 }, 'Targets in the answer.'),
      cursor: queryCursor(),
    }),
    response: structuredTargetPage,
    errors: ['POLICY_VIOLATION'],
    example: { response: { structuredTargets: [TARGET], cursor: '' } },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { catalog } }) => {
    const { structuredTargets, cursor } = await catalog.listStructuredTargets({ agentId, ...query });
    const data = { structuredTargets: structuredTargets.map(structuredTargetResponse), cursor };
    return { data };
  },
);

const structuredTargetRoute = defineRoute(
  {
    ...READ,
    id: 'getStructuredTarget',
    path: '/predictions/structured-targets/{structuredTargetId}',
    summary: 'Get a structured target',
    params: z.strictObject({ structuredTargetId: z.string().meta({ description: '`id` of a structured target.' }) }),
    response: structuredTargetResult,
    errors: ['POLICY_VIOLATION', 'NOT_FOUND'],
    example: { response: { structuredTarget: TARGET } },
  },
  async (
    {
      input: {
        params: { structuredTargetId },
      },
      caller: { agentId },
    },
    { services: { catalog } },
  ) => {
    const { structuredTarget } = await catalog.getStructuredTarget({ agentId, structuredTargetId });
    const target = structuredTargetResponse(required(structuredTarget, 'structured target'));
    return { data: { structuredTarget: target } };
  },
);

/** Routes of events, series, milestones and targets, in the order of the documents. */
export const CATALOG_EVENT_ROUTES: readonly Route[] = [
  eventsRoute,
  eventRoute,
  seriesListRoute,
  seriesRoute,
  milestonesRoute,
  milestoneRoute,
  structuredTargetsRoute,
  structuredTargetRoute,
];
