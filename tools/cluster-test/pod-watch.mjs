// What becomes of pods, also of those that are gone.
import { byLine } from './cluster.mjs';

const AGAIN_MS = 500;
const END_WITHIN_MS = 120_000;

/** Sees every change of every pod in the namespace. */
export class PodWatch {
  /** `name → { pod, isGone, terminatingAtMs, endedAtMs }`, as it was seen last. */
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
      this.#waiting.set(name, () => {
        clearTimeout(timer);
        resolve(this.howItEnded(name));
      });
    });
  }

  #see({ type, object: pod }) {
    if (pod.kind !== 'Pod') return;
    const { name } = pod.metadata;
    const { terminatingAtMs, endedAtMs } = this.pods.get(name) ?? {};
    const nowMs = performance.now();
    const isTerminating = pod.metadata.deletionTimestamp !== undefined;
    this.pods.set(name, {
      pod,
      isGone: type === 'DELETED',
      terminatingAtMs: terminatingAtMs ?? (isTerminating ? nowMs : undefined),
      endedAtMs: endedAtMs ?? (isTerminating && endOf(pod) ? nowMs : undefined),
    });
    if (type === 'DELETED') this.#waiting.get(name)?.();
    else this.onPod(pod);
  }

  /**
   * How a pod's own container ended after it was asked to: seconds from the order to the end, as they were seen here.
   */
  howItEnded(name) {
    const { pod, terminatingAtMs, endedAtMs } = this.pods.get(name);
    return { exitCode: endOf(pod)?.exitCode, seconds: Math.round((endedAtMs - terminatingAtMs) / 100) / 10 };
  }
}

/** The end of a pod's own container; undefined while it runs. */
function endOf(pod) {
  const [container] = pod.spec.containers;
  return (pod.status.containerStatuses ?? []).find(({ name }) => name === container.name)?.state?.terminated;
}
