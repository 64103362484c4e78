import { Controller, Inject } from '@nestjs/common';
import {
  eventResponse,
  eventDetailResponse,
  milestoneResponse,
  seriesResponse,
  structuredTargetResponse,
} from '../../application/responses/catalog-event-response.js';
import { statusFilter } from '../../application/responses/market-response.js';
import { CatalogService, present } from '../../ports/services.js';
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
} from '../contract/catalog-event-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import { Caller, Input, Serves } from '../serves.js';

/** What the markets of the exchange are about. */
@Controller()
export class CatalogEventsController {
  constructor(@Inject(CatalogService) private readonly catalog: CatalogService) {}

  @Serves(eventsRoute)
  async events(
    @Input() { query }: InputOf<typeof eventsRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { limit, cursor: from } = query;
    const status = statusFilter(query.status);
    const { events, cursor } = await this.catalog.listEvents({ agentId, status, limit, cursor: from });
    return { message: 'Events.', data: { events: events.map(eventResponse), cursor } };
  }

  @Serves(eventRoute)
  async event(
    @Input() { params }: InputOf<typeof eventRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { event, markets } = await this.catalog.getEvent({ agentId, eventTicker: params.event_ticker });
    return { message: 'Event.', data: { event: eventDetailResponse(present(event, 'event'), markets) } };
  }

  @Serves(seriesListRoute)
  async seriesList(
    @Input() { query }: InputOf<typeof seriesListRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { series, cursor } = await this.catalog.listSeries({ agentId, ...query });
    return { message: 'Series.', data: { series: series.map(seriesResponse), cursor } };
  }

  @Serves(seriesRoute)
  async series(
    @Input() { params }: InputOf<typeof seriesRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { series } = await this.catalog.getSeries({ agentId, seriesTicker: params.series_ticker });
    return { message: 'Series.', data: { series: seriesResponse(present(series, 'series')) } };
  }

  @Serves(milestonesRoute)
  async milestones(
    @Input() { query }: InputOf<typeof milestonesRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { milestones, cursor } = await this.catalog.listMilestones({ agentId, ...query });
    return { message: 'Milestones.', data: { milestones: milestones.map(milestoneResponse), cursor } };
  }

  @Serves(milestoneRoute)
  async milestone(
    @Input() { params }: InputOf<typeof milestoneRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { milestone } = await this.catalog.getMilestone({ agentId, milestoneId: params.milestone_id });
    return { message: 'Milestone.', data: { milestone: milestoneResponse(present(milestone, 'milestone')) } };
  }

  @Serves(structuredTargetsRoute)
  async targets(
    @Input() { query }: InputOf<typeof structuredTargetsRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { structuredTargets, cursor } = await this.catalog.listStructuredTargets({ agentId, ...query });
    const data = { structuredTargets: structuredTargets.map(structuredTargetResponse), cursor };
    return { message: 'Structured targets.', data };
  }

  @Serves(structuredTargetRoute)
  async target(
    @Input() { params }: InputOf<typeof structuredTargetRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { structuredTargetId } = params;
    const { structuredTarget } = await this.catalog.getStructuredTarget({ agentId, structuredTargetId });
    const target = structuredTargetResponse(present(structuredTarget, 'structured target'));
    return { message: 'Structured target.', data: { structuredTarget: target } };
  }
}
