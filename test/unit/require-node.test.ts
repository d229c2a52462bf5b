import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { accepts } from '../../scripts/require-node.mjs';

/** What the build runs, whatever it is that a person wants to start. */
const BUILD_TOOLS = ['vite', 'rolldown', 'esbuild', '@electron/asar'];

function enginesOf(folder: string): string {
  const { engines } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { engines: { node: string } };
  return engines.node;
}

it('the Node.js that we ask for is one that the build runs on', () => {
  const oldest = [...enginesOf('.').matchAll(/\d+\.\d+/g)].map(([version]) => `${version}.0`);
  expect(oldest).not.toEqual([]);
  for (const version of oldest) {
    for (const tool of BUILD_TOOLS)
      expect([tool, version, accepts(enginesOf(`node_modules/${tool}`), version)]).toEqual([tool, version, true]);
  }
});

it.each([
  ['20.18.3', false],
  ['20.19.0', true],
  ['21.7.3', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['24.0.0', true],
  ['18.20.8', false],
])('of ^20.19 || >=22.12, %s is in it: %s', (version, isIn) => {
  expect(accepts('^20.19 || >=22.12', version)).toBe(isIn);
});
