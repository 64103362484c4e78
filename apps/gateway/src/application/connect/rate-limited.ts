import { AppError } from '@agent-wallet/kernel';
import type { RateWindow } from '../../domain/rate-limits.js';

/** RATE_LIMIT_EXCEEDED, with the window that is full. */
export class RateLimited extends AppError {
  constructor(readonly window: RateWindow) {
    super('RATE_LIMIT_EXCEEDED');
  }
}
