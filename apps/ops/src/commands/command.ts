import type { Order } from '../command-line.js';
import type { Print } from '../print.js';
import type { Services } from '../services.js';

/** One thing that an operator can have done. */
export interface Command {
  /** Finds mistakes before anybody is asked. @throws UsageError */
  check?(order: Order): void;
  run(order: Order, services: Services, print: Print): Promise<void>;
}
