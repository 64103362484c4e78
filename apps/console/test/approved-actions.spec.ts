import { APPROVABLE_ACTIONS } from '@agent-wallet/events';
import { expect, it } from '@jest/globals';
import { SHOWN_ACTIONS } from '../web/approval/decode-document.js';

it('the page of an approval shows every action that an owner can approve', () => {
  expect([...SHOWN_ACTIONS].sort()).toEqual([...APPROVABLE_ACTIONS].sort());
});
