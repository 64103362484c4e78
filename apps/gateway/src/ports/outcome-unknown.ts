/** A call that got no answer: nobody here knows whether the work was done or will be. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the outcome is not known', { cause });
    this.name = 'OutcomeUnknown';
  }
}
