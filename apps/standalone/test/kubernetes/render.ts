import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Labels that objects carry or select by. */
export type Labels = Readonly<Record<string, string>>;

/** One object of Kubernetes, as far as it is looked at before its kind is known. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
}

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', '..', 'k8s');

/** Whether this machine has kubectl. Where REQUIRE_KUBECTL is set, one that is missing is an error. */
export function canRender(): boolean {
  const there = spawnSync('kubectl', ['kustomize', '--help'], { stdio: 'ignore' }).status === 0;
  if (!there && process.env['REQUIRE_KUBECTL']) throw new Error('REQUIRE_KUBECTL is set, and there is no kubectl');
  if (!there) process.stderr.write('SKIPPED: the manifests are not checked, for there is no kubectl here\n');
  return there;
}

const rendered = new Map<string, readonly Manifest[]>();

/** What an overlay makes. @throws Error with what kustomize says against it */
export function render(overlay: string): readonly Manifest[] {
  const known = rendered.get(overlay) ?? build(path.join(FOLDER, 'overlays', overlay));
  rendered.set(overlay, known);
  return known;
}

/** The same with a component more, and ConfigMaps of one empty file each that the component wants. */
export function renderWith(overlay: string, component: string, files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'overlay-'));
  const relative = (...names: string[]) => path.relative(folder, path.join(FOLDER, ...names));
  const kustomization = {
    namespace: 'agent-wallet',
    resources: [relative('overlays', overlay)],
    components: [relative('components', component)],
    configMapGenerator: Object.entries(files).map(([name, file]) => ({ name, literals: [`${file}={}`] })),
  };
  try {
    writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return build(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The same with its objects of one kind patched, by a list of JSON patches as YAML. */
export function renderPatched(overlay: string, kind: string, patch: string): readonly Manifest[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'overlay-'));
  const resources = [path.relative(folder, path.join(FOLDER, 'overlays', overlay))];
  try {
    writeFileSync(path.join(folder, 'patch.yaml'), patch);
    const patches = [{ path: 'patch.yaml', target: { kind } }];
    writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify({ resources, patches }));
    return build(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function build(folder: string): readonly Manifest[] {
  const yaml = kubectl(['kustomize', folder]);
  // Takes away what is not there: all that is left is the same as JSON, one object after the other.
  const json = kubectl(['annotate', '--local', '--filename=-', '--output=json', 'nothing-'], yaml);
  return json
    .split(/^(?=\{)/m)
    .filter(Boolean)
    .map((text) => JSON.parse(text, withoutEmptyAnnotations) as Manifest);
}

/** kubectl leaves the place of what it took away. */
function withoutEmptyAnnotations(key: string, value: unknown): unknown {
  return key === 'annotations' && Object.keys(value as object).length === 0 ? undefined : value;
}

function kubectl(options: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync('kubectl', options, { encoding: 'utf8', input, maxBuffer: 16_000_000 });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
