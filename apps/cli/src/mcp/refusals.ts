import { CODES, fieldsOf, parsed, type RpcError } from './messages.js';

/** An HTTP response that reports a failure. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly retryAfterSeconds: number | undefined;
}

/** The session that requests are sent with. */
interface Login {
  readonly api: string;
  /** The command line that makes a new one. */
  readonly login: string;
  readonly isGivenToken: boolean;
}

const AGAIN = 'Then call again.';
const WRONG_TOKEN = 'The token in AW_TOKEN is not accepted. Set a valid one, and start `aw mcp` again.';

/** Returns the error of a request that cannot be sent without a login. */
export function noLoginError(message: string, login: string): RpcError {
  const data = { status: 401, code: 'AUTHENTICATION_ERROR' };
  return { code: CODES.internal, message: `${message} ${loginAdvice(login)}`, data };
}

/** Returns the error of a request that got no answer. */
export function noAnswerError(api: string): RpcError {
  const message =
    `The service at ${api} does not answer. The call may have taken effect. ` +
    'Call again with the same arguments: an operation runs once for its handle.';
  return { code: CODES.internal, message, data: { status: 0 } };
}

/** Returns the error of a refused request: the cause, and the next step. */
export function refusalError(
  { status, body, retryAfterSeconds }: Refusal,
  { api, login, isGivenToken }: Login,
): RpcError {
  const { message, data } = fieldsOf(parsed(body));
  const { code, suggestion } = fieldsOf(data);
  const isKnown = typeof message === 'string' && typeof code === 'string';
  // The service speaks of its API; an agent host needs a command.
  const said = [
    isKnown ? withStop(message) : `The service at ${api} answered with HTTP ${status}.`,
    // Most messages end with the next step.
    typeof suggestion === 'string' && !String(message).includes(suggestion) ? withStop(suggestion) : '',
  ];
  const sentences = [
    ...(status === 401 ? [] : said),
    isGivenToken && status === 401 ? WRONG_TOKEN : adviceOf({ status, body, retryAfterSeconds }, login),
  ];
  return {
    code: CODES.internal,
    message: sentences.filter((sentence) => sentence !== '').join(' '),
    data: { status, ...(isKnown ? { code } : {}), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  };
}

function adviceOf({ status, retryAfterSeconds }: Refusal, login: string): string {
  if (status === 401) return `You are not logged in. ${loginAdvice(login)}`;
  if (status === 403) return 'This token does not allow the call. Ask the owner of the wallet for one that does.';
  if (status === 429) return `Wait ${retryAfterSeconds ?? 'a few'} seconds. ${AGAIN}`;
  if (status >= 500) return 'Call again with the same arguments: an operation runs once for its handle.';
  if (status === 404 || status < 400) return 'Check --api or AW_API: the service has MCP at /mcp.';
  return '';
}

function loginAdvice(login: string): string {
  return `Run \`${login}\` in a terminal. ${AGAIN}`;
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
