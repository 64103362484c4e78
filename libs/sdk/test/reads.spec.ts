import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentWallet, logIn, type StreamEvent } from '../src/index.js';
import { cut, failure, type Reply, ScriptedService, strange, success, tokenOf } from './scripted-service.js';

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

const walletOf = () => new AgentWallet({ baseUrl: `${service.url}/`, timeoutMs: 300 }, tokenOf('agent'));

describe('a list', () => {
  it('is read page by page, as far as it is iterated', async () => {
    const pages = [
      success({ markets: [{ ticker: 'A' }, { ticker: 'B' }], cursor: 'n x' }),
      success({ markets: [{ ticker: 'C' }], cursor: '' }),
    ];
    service.script(...pages);
    const { predictions } = walletOf();
    const tickers = [];
    for await (const { ticker } of predictions.markets({ status: 'open' })) tickers.push(ticker);
    expect(tickers).toEqual(['A', 'B', 'C']);
    expect(service.seen.map(({ path }) => path)).toEqual([
      '/predictions/markets?status=open',
      '/predictions/markets?status=open&cursor=n+x',
    ]);
    service.script(...pages);
    expect(await predictions.markets().all(2)).toHaveLength(2);
    expect(service.seen).toHaveLength(1);
  });

  it('of history ends at a null cursor', async () => {
    service.script(success({ transactions: [{ id: '1' }], nextCursor: null }));
    expect(await walletOf().history({ action: 'transfer' }).all()).toHaveLength(1);
  });
});

describe('a read', () => {
  it('of spending passes its query on', async () => {
    service.script(success({ totalUsd: 5, groups: [] }));
    expect(await walletOf().spending({ by: 'token' })).toEqual({ totalUsd: 5, groups: [] });
    expect(service.seen[0]?.path).toBe('/wallets/me/spending?by=token');
  });

  it('is repeated while that helps', async () => {
    service.script(
      cut,
      strange(502, ''),
      failure(503, { code: 'SERVICE_UNAVAILABLE', retry: 'same_key' }),
      success({ email: 'a' }),
    );
    expect(await walletOf().me()).toEqual({ email: 'a' });
    expect(service.seen).toHaveLength(4);
  });

  it('puts its parameters into the path', async () => {
    service.script(success({}));
    await walletOf().get('/tokens/{query}', { params: { query: 'a/b?' } });
    expect(service.seen[0]?.path).toBe('/tokens/a%2Fb%3F');
  });
});

it('needs the parameters of a path, for the compiler and at run time', async () => {
  const wallet = walletOf();
  // @ts-expect-error params are missing
  await expect(wallet.get('/tokens/{query}')).rejects.toThrow('query is missing in /tokens/{query}');
  // @ts-expect-error the parameter has another name
  await expect(wallet.get('/tokens/{query}', { params: { symbol: 'USDC' } })).rejects.toThrow('query is missing');
  // @ts-expect-error a path without braces takes no params
  const get = () => wallet.get('/wallets/me', { params: { query: 'USDC' } });
  // @ts-expect-error neither percent nor liquidityRaw
  const remove = () => wallet.liquidity.remove({ positionId: 'POSITION' });
  // @ts-expect-error both of them
  const removeBoth = () => wallet.liquidity.remove({ positionId: 'POSITION', percent: 50, liquidityRaw: '1' });
  expect([get, remove, removeBoth]).toHaveLength(3);
});

describe('a host that was never reached', () => {
  const never = async () => {
    const closed = await ScriptedService.start();
    const { url } = closed;
    await closed.stop();
    return url;
  };

  it.each(['127.0.0.1:26080', 'localhost:8080', 'wallet.example.com', ''])(
    'rejects a baseUrl without a scheme: %j',
    (baseUrl) => {
      const begin = () => new AgentWallet({ baseUrl }, tokenOf('agent'));
      expect(begin).toThrow(new TypeError(`baseUrl must begin with https:// or http://, not '${baseUrl}'.`));
    },
  );

  it('is named with the cause after three attempts', async () => {
    const baseUrl = await never();
    const retries: number[] = [];
    const onRetry = (_error: Error, waitMs: number) => retries.push(waitMs);
    const wallet = new AgentWallet({ baseUrl, onRetry }, tokenOf('agent'));
    await expect(wallet.balances()).rejects.toMatchObject({
      message: `GET /wallets/me/balances got no answer from ${new URL(baseUrl).host}: connection refused`,
      isUnreachable: true,
    });
    expect(retries).toHaveLength(2);
    await expect(wallet.transfer({ to: 'a', amount: '1' })).rejects.toThrow(
      /not known yet: POST .* connection refused\. Resume/,
    );
    await expect(wallet.events().next()).rejects.toMatchObject({ isUnreachable: true });
    expect(retries).toHaveLength(2);
  });

  it('is asked on once it has answered', async () => {
    const codes = ['OK', 'ECONNREFUSED', 'ECONNREFUSED', 'ENOTFOUND', 'OK'];
    const answers: typeof fetch = async () => {
      const code = codes.shift();
      if (code !== 'OK') throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
      return Response.json({ status: true, message: 'OK.', data: { email: 'a' } });
    };
    const wallet = new AgentWallet({ baseUrl: 'http://wallet.invalid', fetch: answers }, tokenOf('agent'));
    await wallet.me();
    expect(await wallet.me()).toEqual({ email: 'a' });
    expect(codes).toEqual([]);
  });
});

describe('a login', () => {
  it('exchanges a mailed code for a wallet', async () => {
    service.script(success({ otpId: 'o' }), success({ sessionToken: tokenOf('agent'), isNewUser: true }));
    const { wallet, session } = await logIn({ baseUrl: service.url }, 'a@example.com', async ({ otpId }) => {
      expect(otpId).toBe('o');
      return '123456';
    });
    expect([wallet.token, session.isNewUser]).toEqual([tokenOf('agent'), true]);
    expect(service.seen[1]?.body).toBe('{"email":"a@example.com","otpId":"o","otpCode":"123456"}');
    expect(service.seen[1]?.headers['authorization']).toBeUndefined();
  });
});

describe('a stream of changes', () => {
  const change = (sequence: number) => `id: ${sequence}\nevent: change\ndata: {"sequence":${sequence},"type":"t"}\n\n`;
  const stream =
    (...parts: readonly string[]): Reply =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const part of parts) response.write(part);
      setTimeout(() => response.destroy(), 20);
    };

  async function take(count: number, after?: number): Promise<StreamEvent[]> {
    const events: StreamEvent[] = [];
    for await (const event of walletOf().events({ after })) {
      events.push(event);
      if (events.length === count) break;
    }
    return events;
  }

  const shown = (events: readonly StreamEvent[]) =>
    events.map((event) => (event.type === 'change' ? event.sequence : event.type));

  it('goes on after a cut where it was, in any pieces of its text', async () => {
    const [head, tail] = [change(8).slice(0, 9), change(8).slice(9)];
    service.script(
      stream(': hello\nretry: 1\nid: 6\nevent: ready\ndata: {}\n\n', change(7), head, tail),
      stream('id: 8\nevent: ready\ndata: {}\r\n\r\n', change(8), change(9)),
    );
    expect(shown(await take(5))).toEqual(['ready', 7, 8, 'ready', 9]);
    expect(service.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '8']);
  });

  it('asks again for a gap, and reports one that stays', async () => {
    service.script(stream(change(7), change(9)), stream(change(8), change(9), change(12)), stream(change(12)));
    expect(shown(await take(5, 6))).toEqual([7, 8, 9, 'reset', 12]);
    expect(service.seen.map(({ headers }) => headers['last-event-id'])).toEqual(['6', '7', '9']);
  });

  it('ends with its session', async () => {
    service.script(failure(401, { code: 'AUTHENTICATION_ERROR', retry: 'same_key' }));
    await expect(take(1)).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR' });
  });
});
