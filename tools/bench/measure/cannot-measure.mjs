/** This machine lacks what a benchmark needs: the others go on. */
export class CannotMeasure extends Error {}
