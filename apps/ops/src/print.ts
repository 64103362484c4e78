/** Prints one line. */
export type Print = (line: string) => void;
