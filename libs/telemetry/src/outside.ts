import { errorTypeOf } from './error-type.js';
import { isMetering, took } from './instruments.js';
import { ATTRIBUTES, METRICS } from './names.js';
import { isWithinSpan, startSpan } from './spans.js';

/** A request to somebody outside. */
export interface OutsideCall {
  readonly peer: 'chain' | 'aggregator' | 'exchange' | 'mail';
  /** Of a closed set: a JSON-RPC method, or what `callOf` says of a path. Never an id, a query or a key. */
  readonly call: string;
  /** Host name without port; undefined when it is not known. */
  readonly host: string | undefined;
}

/** Makes a request to somebody outside: measured always, a span where it is part of something. */
export async function outside<T>(of: OutsideCall, work: () => Promise<T>): Promise<T> {
  if (!isMetering()) return work();
  const startedAtMs = performance.now();
  const span = isWithinSpan() ? startSpan(spanStart(of)) : undefined;
  const end = (errorType: string | undefined) => {
    span?.end({ errorType });
    const attributes = {
      [ATTRIBUTES.peer.name]: of.peer,
      [ATTRIBUTES.call.name]: of.call,
      [ATTRIBUTES.errorType.name]: errorType,
    };
    took(METRICS.outsideDuration, { startedAtMs, attributes });
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

function spanStart({ peer, call, host }: OutsideCall) {
  const attributes = {
    [ATTRIBUTES.peer.name]: peer,
    [ATTRIBUTES.call.name]: call,
    [ATTRIBUTES.host.name]: host,
  };
  return { name: `${peer} ${call}`, kind: 'client', attributes } as const;
}

const WORD = /^([a-z][a-z_]*|v\d)$/;

/** What a path asks for: its leading plain words. `/markets/KXBTC-25?depth=1` is `markets`; an id ends it. */
export function callOf(path: string): string {
  const segments = (path.split('?', 1)[0] ?? '').split('/').filter(Boolean);
  const end = segments.findIndex((segment) => !WORD.test(segment));
  return segments.slice(0, end === -1 ? undefined : end).join('/') || 'other';
}
