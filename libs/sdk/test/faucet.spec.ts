import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AgentWallet, FaucetError, NoAnswerError } from '../src/index.js';
import { plain, type Reply, ScriptedService, success, tokenOf } from './scripted-service.js';

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

const walletOf = () => new AgentWallet({ baseUrl: service.url }, tokenOf('agent'));
const paths = () => service.seen.map(({ path }) => path);

function script(...replies: Reply[]): void {
  const sandbox = success({ network: 'sandbox', faucet: `${service.url}/faucet` });
  service.script(sandbox, success({ chainAddress: 'WALLET' }), ...replies);
}

it('the faucet pays the wallet, and does not get its token', async () => {
  script(plain(200, { signature: 'S' }));
  expect(await walletOf().faucet({ token: 'USDC', amount: '0.10' })).toEqual({ signature: 'S' });
  const { method, path, body, headers } = service.seen.at(-1)!;
  expect([method, path]).toEqual(['POST', '/faucet']);
  expect(JSON.parse(body)).toEqual({ address: 'WALLET', token: 'USDC', amount: '0.10' });
  expect(headers.authorization).toBeUndefined();
});

it.each([
  ['mainnet-beta', /only in the sandbox, and the service is on mainnet-beta/],
  ['sandbox', /names no faucet.*SANDBOX_ADMIN_URL/],
])('the faucet is refused at a service on %s that names none, and nothing else is sent', async (network, words) => {
  service.script(success({ network, faucet: null }));
  const refused: unknown = await walletOf()
    .faucet({ token: 'SOL', amount: '1' })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(FaucetError);
  expect((refused as Error).message).toMatch(words);
  expect(paths()).toEqual(['/']);
});

it.each([
  [plain(400, { error: 'unknown token NONE' }), 'The faucet refused: unknown token NONE'],
  [plain(503, {}), 'The faucet refused: HTTP 503'],
])('the faucet says why it refuses: %#', async (reply, message) => {
  script(reply);
  await expect(walletOf().faucet({ token: 'NONE', amount: '1' })).rejects.toEqual(new FaucetError(message));
});

it('the faucet rejects an inexact amount before it is asked', async () => {
  script(plain(200, { signature: 'S' }));
  const amount = 1.5 as unknown as string;
  await expect(walletOf().faucet({ token: 'SOL', amount })).rejects.toThrow(TypeError);
  expect(paths()).not.toContain('/faucet');
});

it('the faucet that cannot be reached is named', async () => {
  service.script(
    success({ network: 'sandbox', faucet: 'http://127.0.0.1:1/faucet' }),
    success({ chainAddress: 'WALLET' }),
  );
  const failed: unknown = await walletOf()
    .faucet({ token: 'SOL', amount: '1' })
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(NoAnswerError);
  expect((failed as Error).message).toMatch(/^POST \/faucet got no answer from 127\.0\.0\.1:1/);
});
