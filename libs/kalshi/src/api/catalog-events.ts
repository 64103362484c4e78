import { z } from 'zod';
import { cursor, instant, list, name, optionalInstant, text } from './fields.js';

const facts = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? {});

const milestone = z
  .object({
    id: name,
    category: text,
    type: text,
    title: text,
    start_date: instant,
    end_date: optionalInstant,
    related_event_tickers: list(z.string()),
    primary_event_tickers: list(z.string()),
    notification_message: text,
    source_id: text,
    source_ids: facts,
    details: facts,
    last_updated_ts: instant,
  })
  .transform((wire) => ({
    id: wire.id,
    category: wire.category,
    type: wire.type,
    title: wire.title,
    startDateMs: wire.start_date,
    endDateMs: wire.end_date,
    relatedEventTickers: wire.related_event_tickers,
    primaryEventTickers: wire.primary_event_tickers,
    notificationMessage: wire.notification_message,
    sourceIds: wire.source_ids,
    details: wire.details,
    lastUpdatedAtMs: wire.last_updated_ts,
  }));

/** A milestone as the exchange describes it. */
export type MilestoneRecord = z.output<typeof milestone>;

/** Response of `GET /milestones/{id}`. */
export const milestoneResponse = z.object({ milestone });

/** Response of `GET /milestones`. */
export const milestonesResponse = z.object({ milestones: list(milestone), cursor });

const structuredTarget = z
  .object({
    id: name,
    name: text,
    type: text,
    details: facts,
    source_id: text,
    last_updated_ts: optionalInstant,
  })
  .transform((wire) => ({
    id: wire.id,
    name: wire.name,
    type: wire.type,
    details: wire.details,
    sourceId: wire.source_id,
    lastUpdatedAtMs: wire.last_updated_ts,
  }));

/** A structured target as the exchange describes it. */
export type StructuredTargetRecord = z.output<typeof structuredTarget>;

/** Response of `GET /structured_targets/{id}`. */
export const structuredTargetResponse = z.object({ structured_target: structuredTarget });

/** Response of `GET /structured_targets`. */
export const structuredTargetsResponse = z.object({ structured_targets: list(structuredTarget), cursor });
