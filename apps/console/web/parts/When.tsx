import { nowMs } from '../app/now.js';
import { showAway, showTime } from './show.js';

/** Shows how far away a time is, and the time itself to who points at it. */
export function When({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} title={showTime(time)}>
      {showAway(time, nowMs())}
    </time>
  );
}
