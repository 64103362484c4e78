import type { Context } from '@opentelemetry/api';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Span, SpanProcessor } from '@opentelemetry/sdk-trace';
import { serviceOf } from './spans.js';

/**
 * Gives each span the resource of the service whose work it is: several services share a process in embedded mode, and
 * the SDK knows only the resource of the process. Must stand before the processor that exports.
 */
export class ServiceResources implements SpanProcessor {
  readonly #resources = new Map<string, Resource>();

  /** @param processName the service of the SDK's own resource */
  constructor(private readonly processName: string) {}

  onStart(span: Span, parentContext: Context): void {
    const service = serviceOf(parentContext);
    if (service === undefined || service === this.processName) return;
    let resource = this.#resources.get(service);
    if (!resource) {
      resource = span.resource.merge(resourceFromAttributes({ 'service.name': service }));
      this.#resources.set(service, resource);
    }
    Object.assign(span, { resource });
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}
