import { type AgentClient, callJson, type Envelope, type JsonResponse } from '../../src/index.js';

/** What the calls of a session answer, the fields that are used here. */
interface SessionData {
  readonly otpId: string;
  readonly expiresAt: string;
  readonly sessionToken: string;
  readonly chainAddress: string;
}

type SessionResponse = JsonResponse<Envelope<SessionData>>;

/** Who calls: an address that a trusted proxy tells, a session's token. */
interface Caller {
  readonly address?: string;
  readonly token?: string;
}

/** One of the calls `/connect/…`. */
export function connect(
  baseUrl: string,
  call: string,
  body: object = {},
  caller: Caller = {},
): Promise<SessionResponse> {
  const headers = {
    ...(caller.address ? { 'x-forwarded-for': caller.address } : {}),
    ...(caller.token ? { authorization: `Bearer ${caller.token}` } : {}),
  };
  return callJson(`${baseUrl}/connect/${call}`, { body, headers });
}

/** The agent's id, which its token carries. */
export function agentIdOf({ token }: Pick<AgentClient, 'token'>): string {
  return claimsOf(token, 1)['sub']!;
}

/** The id of the key that a token was signed with. */
export function keyIdOf(token: string): string {
  return claimsOf(token, 0)['kid']!;
}

function claimsOf(token: string, part: 0 | 1): Record<string, string> {
  return JSON.parse(Buffer.from(token.split('.')[part]!, 'base64url').toString()) as Record<string, string>;
}
