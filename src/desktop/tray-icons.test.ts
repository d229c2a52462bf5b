import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodePng } from '../../test/support/decode-png.js';
import type { OverallState } from '../bridge/index.js';
import { trayImage } from './tray-icons.js';

const FOLDER = join(__dirname, '../../assets/icons/tray');
const STATES: readonly OverallState[] = ['ok', 'attention', 'offline', 'busy'];
/** Of the pixels of an icon, so many differ at least between two states: enough to be seen from an arm's length. */
const SEEN_SHARE = 0.05;
const OPAQUE = 128;

/** What an icon covers, in whatever colour: one flag a pixel. */
function outline(file: string, size: number): boolean[] {
  const { width, height, data } = decodePng(readFileSync(join(FOLDER, file)));
  expect([width, height]).toEqual([size, size]);
  return Array.from({ length: size * size }, (_, pixel) => (data[pixel * 4 + 3] ?? 0) >= OPAQUE);
}

describe.each(['template', 'on-dark', 'on-light'])('the icons %s', (ground) => {
  it.each([16, 20, 24, 32])('tell every two states apart by their outline alone at %i pixels', (size) => {
    const outlines = STATES.map((state) => outline(`${ground}-${state}-${size}.png`, size));
    for (const [index, one] of outlines.entries()) {
      for (const [other, second] of outlines.slice(0, index).entries()) {
        const different = one.filter((covered, pixel) => covered !== second[pixel]).length;
        expect(different, `${STATES[index]} and ${STATES[other]}`).toBeGreaterThan(SEEN_SHARE * size * size);
      }
    }
  });
});

it('are taken by the state that is shown', () => {
  const taken: string[] = [];
  const images = { createEmpty: () => ({}), createFromPath: (path: string) => taken.push(path) };
  for (const state of STATES) trayImage(images as never, FOLDER, 'on-dark', state, 'linux');
  expect(taken).toEqual(STATES.map((state) => join(FOLDER, `on-dark-${state}-32.png`)));
});
