/** A requirement of tests beyond Node and npm packages. */
export interface Need {
  /** For people, with how to get it: `Chromium or Chrome on the PATH`. */
  readonly name: string;
  readonly isMet: boolean;
}

type Register<Body> = (title: string, body: Body) => void;

/**
 * Returns Jest's `describe` or `it` where the machine has what the tests need. Elsewhere it skips them under a title
 * that names the need, from which `npm test` reports the skipped tests and the reason.
 */
export function where<Body>(
  register: Register<Body> & { readonly skip: Register<Body> },
  { name, isMet }: Need,
): Register<Body> {
  return (title, body) => (isMet ? register(title, body) : register.skip(`${title} [needs ${name}]`, body));
}
