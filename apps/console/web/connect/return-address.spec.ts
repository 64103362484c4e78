import { expect, it } from '@jest/globals';
import { isReturnAddress } from './return-address.js';

it.each([
  'https://app.example.com/back?code=a',
  'http://127.0.0.1:4711/callback?code=a',
  'http://localhost/callback',
  'http://[::1]:8000/',
  'com.example.app:/callback?code=a',
  'cursor://anysphere.cursor-retrieval/oauth/callback',
])('opens %s', (address) => {
  expect(isReturnAddress(address)).toBe(true);
});

it.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'blob:https://app.example.com/1',
  'file:///etc/passwd',
  'http://app.example.com/back',
  'http://127.0.0.1.example.com/',
  'http://localhost@example.com/',
  '/agents',
  '',
])('does not open %j', (address) => {
  expect(isReturnAddress(address)).toBe(false);
});
