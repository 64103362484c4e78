import {
  ATTRIBUTES,
  type Attributes,
  isMetering,
  isWithinSpan,
  METRICS,
  type OpenSpan,
  startSpan,
  took,
} from '@agent-wallet/telemetry';
import type { Metadata } from '@grpc/grpc-js';
import type { RequestContext } from '../context/request-context.js';

/** A call that is measured. */
interface MeasuredCall {
  /** Does the work of the call. */
  run<T>(work: () => T): T;
  /** Ends the measurement of the call; an error type marks it as failed. */
  end(errorType?: string): void;
}

const TRACEPARENT = 'traceparent';
const UNMEASURED: MeasuredCall = { run: (work) => work(), end: () => {} };

/** Prepares to measure a method that is served: its path is `/package.Service/Method`. */
export function servedMethod(path: string, service: string | undefined) {
  const attributes = attributesOf(path);
  return (metadata: Metadata, { requestId, agentId }: RequestContext): MeasuredCall => {
    if (!isMetering()) return UNMEASURED;
    const [parent] = metadata.get(TRACEPARENT);
    const span = startSpan({
      name: path.slice(1),
      kind: 'server',
      service,
      parent: typeof parent === 'string' ? parent : '',
      attributes: { ...attributes, [ATTRIBUTES.requestId.name]: requestId, [ATTRIBUTES.agentId.name]: agentId },
    });
    return measured(METRICS.rpcServerDuration, { span, attributes, service });
  };
}

/** Prepares to measure a method that is called; the trace travels in the call's metadata. */
export function calledMethod(path: string) {
  const attributes = attributesOf(path);
  return (metadata: Metadata): MeasuredCall => {
    if (!isMetering()) return UNMEASURED;
    const span = isWithinSpan() ? startSpan({ name: path.slice(1), kind: 'client', attributes }) : undefined;
    if (span?.traceparent) metadata.set(TRACEPARENT, span.traceparent);
    return measured(METRICS.rpcClientDuration, { span, attributes });
  };
}

function measured(
  metric: typeof METRICS.rpcServerDuration | typeof METRICS.rpcClientDuration,
  of: { readonly span: OpenSpan | undefined; readonly attributes: Attributes; readonly service?: string | undefined },
): MeasuredCall {
  const startedAtMs = performance.now();
  const { [ATTRIBUTES.rpcService.name]: name, [ATTRIBUTES.rpcMethod.name]: method } = of.attributes;
  return {
    run: (work) => (of.span ? of.span.run(work) : work()),
    end: (errorType) => {
      of.span?.end({ errorType });
      const attributes = {
        [ATTRIBUTES.rpcService.name]: name,
        [ATTRIBUTES.rpcMethod.name]: method,
        [ATTRIBUTES.errorType.name]: errorType,
      };
      took(metric, { service: of.service, startedAtMs, attributes });
    },
  };
}

function attributesOf(path: string): Attributes {
  const [, service, method] = path.split('/');
  return {
    [ATTRIBUTES.rpcSystem.name]: 'grpc',
    [ATTRIBUTES.rpcService.name]: service,
    [ATTRIBUTES.rpcMethod.name]: method,
  };
}
