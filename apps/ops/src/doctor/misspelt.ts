import { misspeltVariables } from '@agent-wallet/platform';
import { type Check, defineCheck, ok, warn } from './check.js';

/** Returns the check for variables that are like one that the other checks read, and are none. */
export function misspeltCheck(others: readonly Check[]): Check {
  const names = new Set(others.flatMap(({ settings }) => Object.keys(settings)));
  return defineCheck({
    name: 'misspelt',
    area: 'settings',
    settings: {},
    advice: '',
    async run(_settings, { environment }) {
      const misspelt = misspeltVariables(environment, names);
      if (misspelt.length === 0) return ok(`no misspelt name of the ${names.size} variables that the checks read`);
      const list = misspelt.map(({ variable, suggestion }) => `${variable} (${suggestion}?)`);
      return warn(`no setting: ${list.join(', ')}`, 'Correct the names. A variable that no setting has is ignored.');
    },
  });
}
