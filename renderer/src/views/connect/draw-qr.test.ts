import jsQR from 'jsqr';
import { describe, expect, it } from 'vitest';
import { drawQr } from './draw-qr.js';

/** Pixels a module; enough for any reader. */
const SCALE = 4;

/** Paints the path as a browser would, and reads it. */
function read({ size, path }: { readonly size: number; readonly path: string }): string | undefined {
  const side = size * SCALE;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x = '', y = '', width = ''] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = Number(y) * SCALE; row < (Number(y) + 1) * SCALE; row += 1) {
      const from = (row * side + Number(x) * SCALE) * 4;
      for (let at = from; at < from + Number(width) * SCALE * 4; at += 4) pixels.fill(0, at, at + 3);
    }
  }
  return jsQR(pixels, side, side)?.data;
}

describe('the drawn code', () => {
  it.each([
    'https://example.invalid/q/7HqT2mVb?qrcode=a81f0c5e',
    'https://t.me/plum_home_bot?start=k7Qh2mVb9x',
    `https://example.invalid/${'long/'.repeat(80)}`,
    '扫码登录',
  ])('is read as the text it was drawn from: %s', (text) => {
    expect(read(drawQr(text))).toBe(text);
  });

  it('has four modules of quiet on each side', () => {
    const { size, path } = drawQr('quiet');
    const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, x, y, width]) => [
      Number(x),
      Number(y),
      Number(width),
    ]);
    expect(Math.min(...runs.map(([x]) => x ?? 0))).toBe(4);
    expect(Math.min(...runs.map(([, y]) => y ?? 0))).toBe(4);
    expect(Math.max(...runs.map(([x = 0, , width = 0]) => x + width))).toBe(size - 4);
    expect(Math.max(...runs.map(([, y = 0]) => y + 1))).toBe(size - 4);
  });
});
