import type { Metadata } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, RetryInfo } from '../generated/google/rpc/error_details.js';
import { Status } from '../generated/google/rpc/status.js';

/** One field of a request that is wrong, and why. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: string;
  /** Problem, for programs: `required`, `out_of_range` … */
  readonly problem: string;
}

/** A service's details about an error. */
interface StatusDetails {
  readonly code: string;
  readonly message: string;
  /** Further facts, by name. */
  readonly hints: Readonly<Record<string, unknown>>;
  readonly problems: readonly FieldProblem[];
  /** Delay before a retry, if the service knows it. */
  readonly retryAfterMs: number | undefined;
}

const KEY = 'grpc-status-details-bin';
const DOMAIN = 'agent-wallet';
const TYPE = 'type.googleapis.com/google.rpc.';

/** Reads what a wallet service sent with a status; undefined when the status is not a service's answer. */
export function readStatusDetails(metadata: Metadata | undefined): StatusDetails | undefined {
  const [encoded] = metadata?.get(KEY) ?? [];
  if (!Buffer.isBuffer(encoded)) return undefined;
  try {
    return detailsOf(Status.decode(encoded));
  } catch {
    // A proxy between the client and the service wrote it.
    return undefined;
  }
}

function detailsOf({ message, details }: Status): StatusDetails | undefined {
  const find = (name: string) => details.find(({ typeUrl }) => typeUrl === TYPE + name)?.value;
  const [info, badRequest, retry] = [find('ErrorInfo'), find('BadRequest'), find('RetryInfo')];
  if (!info) return undefined;
  const { reason, domain, metadata } = ErrorInfo.decode(info);
  if (domain !== DOMAIN) return undefined;
  const violations = badRequest ? BadRequest.decode(badRequest).fieldViolations : [];
  const { retryDelay } = retry ? RetryInfo.decode(retry) : {};
  return {
    code: reason,
    message,
    hints: hintsOf(metadata),
    problems: violations.map(({ field, description, reason: problem }) => {
      return { field, reason: description, problem: problem.toLowerCase() };
    }),
    retryAfterMs: retryDelay && Number(retryDelay.seconds) * 1_000 + Math.ceil(retryDelay.nanos / 1e6),
  };
}

/** Decodes the facts, each of which is sent as JSON. */
function hintsOf(metadata: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, JSON.parse(text) as unknown]));
}
