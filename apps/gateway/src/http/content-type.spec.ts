import { describe, expect, it } from '@jest/globals';
import { readContentType } from './content-type.js';

describe('a content type', () => {
  it.each([
    ['application/json', 'application/json', true],
    ['Application/JSON ; Charset="UTF-8"', 'application/json', true],
    ['application/json;', 'application/json', true],
    ['application/json; profile="a;charset=x"; charset=utf8', 'application/json', true],
    ['application/json; charset=iso-8859-1', 'application/json', false],
    ['application/vnd.wallet+json; v=1', 'application/vnd.wallet+json', true],
    ['application/json, text/plain', '', false],
    ['json', '', false],
    ['', '', false],
    [undefined, '', false],
  ])('%j is %s, in UTF-8: %s', (header, essence, isUtf8) => {
    expect(readContentType(header)).toEqual({ essence, isUtf8 });
  });
});
