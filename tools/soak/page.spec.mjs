import { describe, expect, it } from '@jest/globals';
import { withSection } from './page.mjs';

const PAGE = '# Soaks\n\n## A day\n\nold\n\n## Others\n\nstay\n';

describe('a section of a page', () => {
  it('is replaced without touching the others', () => {
    expect(withSection(PAGE, 'A day', 'new\n')).toBe('# Soaks\n\n## A day\n\nnew\n\n## Others\n\nstay\n');
  });

  it('is added when there is none', () => {
    expect(withSection(PAGE, 'More', 'new')).toBe(`${PAGE}\n## More\n\nnew\n`);
  });
});
