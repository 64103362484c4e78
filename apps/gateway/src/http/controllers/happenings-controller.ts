import { Controller, Inject } from '@nestjs/common';
import {
  eventAnswer,
  eventDetailAnswer,
  milestoneAnswer,
  seriesAnswer,
  structuredTargetAnswer,
} from '../../application/answers/happening-answer.js';
import { statusFilter } from '../../application/answers/market-answer.js';
import { present } from '../../domain/present.js';
import type { CatalogService } from '../../ports/catalog-service.js';
import type { Bearer } from '../bearer-token.js';
import {
  eventRoute,
  eventsRoute,
  milestoneRoute,
  milestonesRoute,
  seriesListRoute,
  seriesRoute,
  structuredTargetRoute,
  structuredTargetsRoute,
} from '../contract/happening-routes.js';
import type { InputOf } from '../contract/route.js';
import type { Answer } from '../envelope.js';
import { Caller, Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

/** What the markets of the exchange are about. */
@Controller()
export class HappeningsController {
  constructor(@Inject(TOKENS.catalog) private readonly catalog: CatalogService) {}

  @Serves(eventsRoute)
  async events(@Input() { query }: InputOf<typeof eventsRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { limit, cursor: from } = query;
    const status = statusFilter(query.status);
    const { events, cursor } = await this.catalog.listEvents({ agentId, status, limit, cursor: from });
    return { message: 'Events.', data: { events: events.map(eventAnswer), cursor } };
  }

  @Serves(eventRoute)
  async event(@Input() { params }: InputOf<typeof eventRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { event, markets } = await this.catalog.getEvent({ agentId, eventTicker: params.event_ticker });
    return { message: 'Event.', data: { event: eventDetailAnswer(present(event, 'event'), markets) } };
  }

  @Serves(seriesListRoute)
  async seriesList(
    @Input() { query }: InputOf<typeof seriesListRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<Answer> {
    const { series, cursor } = await this.catalog.listSeries({ agentId, ...query });
    return { message: 'Series.', data: { series: series.map(seriesAnswer), cursor } };
  }

  @Serves(seriesRoute)
  async series(@Input() { params }: InputOf<typeof seriesRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { series } = await this.catalog.getSeries({ agentId, seriesTicker: params.series_ticker });
    return { message: 'Series.', data: { series: seriesAnswer(present(series, 'series')) } };
  }

  @Serves(milestonesRoute)
  async milestones(
    @Input() { query }: InputOf<typeof milestonesRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<Answer> {
    const { milestones, cursor } = await this.catalog.listMilestones({ agentId, ...query });
    return { message: 'Milestones.', data: { milestones: milestones.map(milestoneAnswer), cursor } };
  }

  @Serves(milestoneRoute)
  async milestone(@Input() { params }: InputOf<typeof milestoneRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { milestone } = await this.catalog.getMilestone({ agentId, milestoneId: params.milestone_id });
    return { message: 'Milestone.', data: { milestone: milestoneAnswer(present(milestone, 'milestone')) } };
  }

  @Serves(structuredTargetsRoute)
  async targets(
    @Input() { query }: InputOf<typeof structuredTargetsRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<Answer> {
    const { structuredTargets, cursor } = await this.catalog.listStructuredTargets({ agentId, ...query });
    const data = { structuredTargets: structuredTargets.map(structuredTargetAnswer), cursor };
    return { message: 'Structured targets.', data };
  }

  @Serves(structuredTargetRoute)
  async target(
    @Input() { params }: InputOf<typeof structuredTargetRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<Answer> {
    const structuredTargetId = params.structured_target_id;
    const { structuredTarget } = await this.catalog.getStructuredTarget({ agentId, structuredTargetId });
    const target = structuredTargetAnswer(present(structuredTarget, 'structured target'));
    return { message: 'Structured target.', data: { structuredTarget: target } };
  }
}
