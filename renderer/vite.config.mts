import { defineConfig, type Plugin } from 'vite';

// The window's page: files beside each other, nothing inline, so that a CSP without `unsafe-*` holds. Addresses are relative,
// because the desktop app serves it at the root of a scheme of its own and a browser finds it at /ui/.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [asciiOnly()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    // The oldest runtime that has to show it.
    target: 'chrome114',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // One file: it comes from this machine, and every view is a click away. Kilobytes.
    chunkSizeWarningLimit: 1000,
    // Of the bridge only what the window calls: its schemas are for the host that checks what comes in.
    rolldownOptions: { treeshake: { moduleSideEffects: [{ test: /src\/bridge\//, sideEffects: false }] } },
  },
});

/** One character beyond Latin-1, and V8 keeps and reads all of a script at two bytes a character; half of ours are words in Chinese. */
function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        chunk.code = chunk.code.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
      }
    },
  };
}
