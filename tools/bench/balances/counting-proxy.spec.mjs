import { describe, expect, it } from '@jest/globals';
import { rpcMethods, routeOf } from './counting-proxy.mjs';

describe('the counting proxy', () => {
  it('counts every call of a JSON-RPC batch', () => {
    expect(rpcMethods({}, '{"id":1,"method":"getBalance"}')).toEqual(['getBalance']);
    expect(rpcMethods({}, '[{"method":"getBalance"},{"method":"getSlot"}]')).toEqual(['getBalance', 'getSlot']);
  });

  it('names a route without its question', () => {
    expect(routeOf({ url: '/price/v3?ids=a,b' })).toBe('/price/v3');
    expect(routeOf({ url: '/price/v3' })).toBe('/price/v3');
  });
});
