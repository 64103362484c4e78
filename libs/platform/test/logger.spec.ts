import { where } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { errorMonitor, type EventEmitter, once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createLogger, logOutput } from '../src/log/logger.js';

const FULL_DISK = '/dev/full';

describe('a logger', () => {
  const onFullDisk = where(it, { name: FULL_DISK, isMet: existsSync(FULL_DISK) });

  onFullDisk('does not end the process when the disk that it writes to is full', async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', note);
    const fd = openSync(FULL_DISK, 'w');
    const output = logOutput(fd);
    // Watches without counting as a handler.
    const failed = once(output as unknown as EventEmitter, errorMonitor);
    createLogger('test', 'info', output).info({ event: 'service.started' }, 'Service listening');
    await failed;
    await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtException', note);
    closeSync(fd);
    expect(uncaught).toEqual([]);
  });
});
