import { expect, it } from '@jest/globals';
import { nearestPath } from './routes.js';

it.each([
  ['/wallets/me/balances/', '/wallets/me/balances'],
  ['/wallets//me/balances', '/wallets/me/balances'],
  ['/v1/wallets/me/balances', '/wallets/me/balances'],
  ['/api/v2/wallets/me/actions/transfer', '/wallets/me/actions/transfer'],
  ['/Wallets/Me/Balances', '/wallets/me/balances'],
  ['/wallet/me/balances', '/wallets/me/balances'],
  ['/v1/wallets/me/history/01938f70', '/wallets/me/history/{transactionId}'],
  ['/nowhere', undefined],
  ['/'.repeat(20_000), undefined],
])('the path %.50s is near %s', (path, nearest) => {
  expect(nearestPath(path)).toBe(nearest);
});
