import type { RefObject } from 'react';
import { TEXTS } from '../texts.js';

interface ChangeBarProps {
  readonly changes: number;
  /** Section that lists the changes. */
  readonly review: RefObject<HTMLElement | null>;
}

/** Says on a small screen how many limits differ from those in effect, and leads to the list of them. */
export function ChangeBar({ changes, review }: ChangeBarProps) {
  if (changes === 0) return null;
  const show = () => {
    review.current?.focus({ preventScroll: true });
    review.current?.scrollIntoView();
  };
  return (
    <div className="change-bar">
      <strong>{TEXTS.limits.changes(changes)}</strong>
      <button type="button" onClick={show}>
        {TEXTS.limits.toReview}
      </button>
    </div>
  );
}
