import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The page at /docs, the policy under which a browser shows it, and the script that it loads. */
interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
  readonly script: string;
}

/**
 * Makes the page: Swagger UI over /openapi.json, with its styles inside and its script in a file of its own, which browsers
 * keep. Its policy lets run exactly what was read here, by hash, and connect only to the host of the page.
 */
export async function loadDocsPage(): Promise<DocsPage> {
  const asset = (name: string) => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8');
  const [library, style] = await Promise.all([asset('swagger-ui-bundle.js'), asset('swagger-ui.css')]);
  return {
    html: page(style, library),
    script: library,
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src ${sourceOf(library)} ${sourceOf(START)}`,
      `style-src ${sourceOf(style)}`,
      'img-src data:', // the icons in the style
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join(';'),
  };
}

/** Returns the name of the script's file, which is its SHA-256 in base64url: a name never stands for other bytes. */
export function scriptName(hash: string): string {
  return `${hash}.js`;
}

/** Fetches the document from, and sends requests to, the host of the page: behind a proxy its name may be another one. */
const START = `
(async () => {
  const base = new URL('.', location.href).href;
  const place = document.getElementById('docs');
  try {
    const response = await fetch(base + 'openapi.json');
    const spec = await response.json();
    if (!response.ok) throw new Error(spec.message);
    // A request that moves money is only tried out, unless the reader chooses otherwise.
    const operations = Object.values(spec.paths).flatMap((path) => Object.values(path));
    const own = operations.flatMap(({ parameters = [] }) => parameters);
    for (const parameter of [...own, ...Object.values(spec.components.parameters)]) {
      if (parameter.name === 'dryRun') parameter.example = true;
    }
    spec.servers = [{ url: base.slice(0, -1) }];
    SwaggerUIBundle({ spec, domNode: place, validatorUrl: null, deepLinking: true, tryItOutEnabled: true });
  } catch (error) {
    place.textContent = 'The description of this API could not be loaded: ' + error.message;
  }
})();
`;

function page(style: string, script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agent Wallet</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="docs"></div>
<script src="docs/${scriptName(hashOf(script, 'base64url'))}" integrity="sha256-${hashOf(script, 'base64')}"></script>
<script>${START}</script>
</body>
</html>
`;
}

function hashOf(text: string, encoding: 'base64' | 'base64url'): string {
  return createHash('sha256').update(text).digest(encoding);
}

/** Returns the text as a source of the policy. */
function sourceOf(text: string): string {
  return `'sha256-${hashOf(text, 'base64')}'`;
}
