// What becomes of pods, also of those that are gone.
import { byLine } from './cluster.mjs';

const AGAIN_MS = 500;
const END_WITHIN_MS = 120_000;

/** Sees every change of every pod in the namespace. */
export class PodWatch {
  /** `name → pod`, as it was seen last; `isGone` once it was deleted. */
  pods = new Map();
  #stop = () => {};
  #waiting = new Map();

  constructor(cluster, onPod = () => {}) {
    Object.assign(this, { cluster, onPod });
  }

  start() {
    const onLine = (line) => line && this.#see(JSON.parse(line));
    const again = () => {
      const timer = setTimeout(() => this.start(), AGAIN_MS);
      this.#stop = () => clearTimeout(timer);
    };
    this.#stop = this.cluster.follow(`${this.cluster.at('pods')}?watch=true`, byLine(onLine), again);
    return this;
  }

  stop() {
    this.#stop();
  }

  /** Resolves to how the first container of a pod ended, once the pod is gone: `{ exitCode, seconds }`. */
  endOf(name) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} did not go`)), END_WITHIN_MS);
      this.#waiting.set(name, (pod) => {
        clearTimeout(timer);
        resolve(howItEnded(pod));
      });
    });
  }

  #see({ type, object: pod }) {
    if (pod.kind !== 'Pod') return;
    const { name } = pod.metadata;
    this.pods.set(name, Object.assign(pod, { isGone: type === 'DELETED' }));
    if (type === 'DELETED') this.#waiting.get(name)?.(pod);
    else this.onPod(pod);
  }
}

/** How a pod's own container ended after it was told to: seconds from the order to the end. */
export function howItEnded(pod) {
  const [container] = pod.spec.containers;
  const status = (pod.status.containerStatuses ?? []).find(({ name }) => name === container.name);
  const { exitCode, finishedAt } = status?.state?.terminated ?? {};
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const toldAtMs = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
  return { exitCode, seconds: (Date.parse(finishedAt) - toldAtMs) / 1_000 };
}
