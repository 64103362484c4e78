import type { JsonRoute } from '../../http/json-server.js';
import type { ExchangeWorld } from '../world/exchange-world.js';
import type { Milestone, StructuredTarget } from '../world/records.js';
import { timeText } from './market-json.js';
import { pageOf, pageRequest } from './paging.js';
import { invalid, listOf, notFound, secondsOf, textOf } from './read-query.js';

/** Dates to watch, and who or what markets are about. */
export function milestoneRoutes({ world }: { readonly world: ExchangeWorld }): JsonRoute[] {
  return [
    { method: 'GET', path: '/milestones', answer: ({ query }) => ({ body: milestones(world, query) }) },
    {
      method: 'GET',
      path: '/milestones/{id}',
      answer: ({ names }) => {
        const found = world.milestones.find((milestone) => milestone.id === names['id']);
        if (!found) throw notFound('milestone not found');
        return { body: { milestone: milestoneJson(found) } };
      },
    },
    { method: 'GET', path: '/structured_targets', answer: ({ query }) => ({ body: targets(world, query) }) },
    {
      method: 'GET',
      path: '/structured_targets/{id}',
      answer: ({ names }) => {
        const found = world.targets.find((target) => target.id === names['id']);
        if (!found) throw notFound('structured target not found');
        return { body: { structured_target: targetJson(found) } };
      },
    },
  ];
}

/** The limit is required here. */
function milestones(world: ExchangeWorld, query: URLSearchParams): unknown {
  if (textOf(query, 'limit') === undefined) throw invalid('limit is required');
  const list = { items: world.milestones, keyOf: ({ id }: Milestone) => id, keep: milestoneFilter(query) };
  const { items, cursor } = pageOf(list, pageRequest(query, { normal: 100, most: 500 }));
  return { milestones: items.map(milestoneJson), cursor };
}

function milestoneFilter(query: URLSearchParams): (milestone: Milestone) => boolean {
  const start = textOf(query, 'minimum_start_date');
  const fromMs = start === undefined ? -Infinity : Date.parse(start);
  if (Number.isNaN(fromMs)) throw invalid('minimum_start_date must be a date and time (RFC 3339)');
  const updatedMs = secondsOf(query, 'min_updated_ts') ?? -Infinity;
  const equal = (name: string, value: unknown): boolean => {
    const asked = textOf(query, name);
    return asked === undefined || asked === value;
  };
  const event = textOf(query, 'related_event_ticker');
  return (milestone) =>
    milestone.startMs >= fromMs &&
    milestone.updatedMs > updatedMs &&
    equal('category', milestone.category) &&
    equal('type', milestone.type) &&
    equal('competition', milestone.details['league']) &&
    equal('source_id', milestone.sourceIds['sandbox']) &&
    (event === undefined || milestone.events.includes(event));
}

/** A milestone as the exchange answers it. */
export function milestoneJson(milestone: Milestone): unknown {
  return {
    id: milestone.id,
    category: milestone.category,
    type: milestone.type,
    start_date: timeText(milestone.startMs),
    ...(milestone.endMs !== undefined && { end_date: timeText(milestone.endMs) }),
    title: milestone.title,
    notification_message: milestone.message,
    related_event_tickers: milestone.events,
    primary_event_tickers: milestone.events,
    source_id: milestone.sourceIds['sandbox'],
    source_ids: milestone.sourceIds,
    details: milestone.details,
    last_updated_ts: timeText(milestone.updatedMs),
  };
}

function targets(world: ExchangeWorld, query: URLSearchParams): unknown {
  const ids = listOf(query, 'ids');
  const type = textOf(query, 'type');
  const competition = textOf(query, 'competition');
  const list = {
    items: world.targets,
    keyOf: (target: StructuredTarget) => target.id,
    keep: (target: StructuredTarget) =>
      (ids === undefined || ids.has(target.id)) &&
      (type === undefined || target.type === type) &&
      (competition === undefined || target.details['league'] === competition),
  };
  const { items, cursor } = pageOf(list, pageRequest(query, { normal: 100, most: 2_000, name: 'page_size' }));
  return { structured_targets: items.map(targetJson), cursor };
}

function targetJson(target: StructuredTarget): unknown {
  return {
    id: target.id,
    name: target.name,
    type: target.type,
    details: target.details,
    source_id: target.sourceIds['sandbox'],
    source_ids: target.sourceIds,
    last_updated_ts: timeText(target.updatedMs),
  };
}
