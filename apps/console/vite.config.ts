import react from '@vitejs/plugin-react';
import path from 'node:path';
import { defaultClientConditions, defineConfig } from 'vite';

/** Builds the browser app: files of its own origin alone, without inline code, so that its CSP can forbid the rest. */
export default defineConfig({
  root: path.join(import.meta.dirname, 'web'),
  publicDir: path.join(import.meta.dirname, 'web', 'public'),
  plugins: [react()],
  resolve: { conditions: ['@agent-wallet/source', ...defaultClientConditions] },
  build: {
    outDir: path.join(import.meta.dirname, 'web', 'dist'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
