import { describe, expect, it } from '@jest/globals';
import { mediaQualityOf, qualityOf } from './accept.js';

describe('the quality of a coding', () => {
  it.each([
    ['br', 'gzip, deflate, br', 1],
    ['br', 'gzip;q=1.0, BR;Q=0.5', 0.5],
    ['br', 'br;q=0, *', 0],
    ['br', '*;q=0.1', 0.1],
    ['br', 'gzip', 0],
    ['br', undefined, 0],
    ['br', 'br;q=much', 0],
    ['br', 'br;q=2', 0],
    ['br', 'br;q=', 0],
  ])('%s in "%s" is %d', (coding, header, quality) => {
    expect(qualityOf(coding, header)).toBe(quality);
  });
});

describe('the quality of a media type', () => {
  it.each([
    ['text/html', 'text/html,application/xhtml+xml,*/*;q=0.8', 1],
    ['text/html', '*/*', 1],
    ['text/html', 'TEXT/*;Q=0.25', 0.25],
    ['text/html', undefined, 1],
    ['text/html', ' , ', 1],
    ['text/html', 'text/htmlx, xtext/html, image/*', 0],
    ['text/html', '*/*, text/*;q=0.5, text/html;q=0', 0],
    ['text/html', '*/*;q=0.1, text/*;q=0.5', 0.5],
    ['text/html', 'text/html ; level=1 ; q=0.3', 0.3],
    ['text/html', 'text/html;level=1;q=0, text/html', 1],
    ['text/html', 'text/html;title="a, b; q=0"', 1],
    ['text/html', 'text/plain;title="text/html, text/html"', 0],
    ['text/html', String.raw`text/html;title="\",*/*";q=0.7`, 0.7],
    ['text/html', 'text/html;q=0.000', 0],
    ['text/html', 'text/html;q=-1', 0],
  ])('%s in "%s" is %d', (type, header, quality) => {
    expect(mediaQualityOf(type, header)).toBe(quality);
  });
});
