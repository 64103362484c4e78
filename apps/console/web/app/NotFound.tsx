import { Link } from 'wouter';
import { useTitle } from '../parts/parts.js';
import { TEXTS } from '../texts.js';

/** Shows that the page was not found. */
export function NotFound() {
  useTitle(TEXTS.errors.notFound);
  return (
    <section className="narrow">
      <h1>{TEXTS.errors.notFound}</h1>
      <p>{TEXTS.errors.notFoundText}</p>
      <Link className="button" href="/">
        {TEXTS.errors.toStart}
      </Link>
    </section>
  );
}
