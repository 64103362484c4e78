import { errorTypeOf } from './error-type.js';
import { isMetering, took } from './instruments.js';
import { ATTRIBUTES, METRICS } from './names.js';
import { isWithinSpan, startSpan } from './spans.js';

/** A request to an upstream. */
interface UpstreamCall {
  readonly upstream: 'chain' | 'aggregator' | 'venue' | 'exchange' | 'mail';
  /**
   * Method from a closed set: a JSON-RPC method, or the result of `upstreamMethodOf` for a path. Never an ID, a query
   * or a key.
   */
  readonly method: string;
  /** Host name without port; undefined when it is not known. */
  readonly host: string | undefined;
}

/** Makes a request to an upstream. It is always measured, and a span within another span. */
export async function callUpstream<T>(of: UpstreamCall, work: () => Promise<T>): Promise<T> {
  if (!isMetering()) return work();
  const startedAtMs = performance.now();
  const span = isWithinSpan() ? startSpan(spanStart(of)) : undefined;
  const end = (errorType: string | undefined) => {
    span?.end({ errorType });
    const attributes = {
      [ATTRIBUTES.upstream.name]: of.upstream,
      [ATTRIBUTES.upstreamMethod.name]: of.method,
      [ATTRIBUTES.errorType.name]: errorType,
    };
    took(METRICS.upstreamDuration, { startedAtMs, attributes });
  };
  try {
    const result = await (span ? span.run(work) : work());
    end(undefined);
    return result;
  } catch (error) {
    end(errorTypeOf(error));
    throw error;
  }
}

function spanStart({ upstream, method, host }: UpstreamCall) {
  const attributes = {
    [ATTRIBUTES.upstream.name]: upstream,
    [ATTRIBUTES.upstreamMethod.name]: method,
    [ATTRIBUTES.host.name]: host,
  };
  return { name: `${upstream} ${method}`, kind: 'client', attributes } as const;
}

const WORD = /^([a-z][a-z_]*|v\d)$/;

/**
 * Returns the method of a REST path: its leading plain words. `/markets/KXBTC-25?depth=1` is `markets`; an ID ends it.
 */
export function upstreamMethodOf(path: string): string {
  const segments = (path.split('?', 1)[0] ?? '').split('/').filter(Boolean);
  const end = segments.findIndex((segment) => !WORD.test(segment));
  return segments.slice(0, end === -1 ? undefined : end).join('/') || 'other';
}
