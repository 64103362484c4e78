import type { Order } from '../command-line.js';
import type { Print } from '../print.js';
import type { Services } from '../services.js';

/** What was compared is not the same; the message sums up what was printed. */
export class Discrepancy extends Error {}

/** One thing that an operator can have done. */
export interface Command {
  /** Finds mistakes before anybody is asked. @throws UsageError */
  check?(order: Order): void;
  /** @throws Discrepancy; whatever those throw who are asked */
  run(order: Order, services: Services, print: Print): Promise<void>;
}
