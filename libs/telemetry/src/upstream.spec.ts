import { describe, expect, it } from '@jest/globals';
import { errorTypeOf } from './error-type.js';
import { upstreamMethodOf } from './upstream.js';

describe('what a path asks for', () => {
  it.each([
    ['/markets/KXBTC-25DEC31/orderbook?depth=1', 'markets'],
    ['/portfolio/orders/0193b6c0-1111-7abc-8def-000000000000', 'portfolio/orders'],
    ['/swap/v2/order?taker=9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', 'swap/v2/order'],
    ['/ultra/v1/holdings/9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', 'ultra/v1/holdings'],
    ['/?api-key=hush', 'other'],
    ['/0193b6c0', 'other'],
  ])('%s is %s', (path, call) => {
    expect(upstreamMethodOf(path)).toBe(call);
  });
});

describe('the type of an error', () => {
  it.each([
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [Object.assign(new Error('x'), { code: 'not a code: hush' }), 'Error'],
    [new TypeError('hush'), 'TypeError'],
    ['hush', 'unknown'],
    [undefined, 'unknown'],
  ])('of %p is %s', (error, type) => {
    expect(errorTypeOf(error)).toBe(type);
  });
});
