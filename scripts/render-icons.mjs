// Draws the icons of assets/icons from their sources, with a headless Chromium: the tray's in every size that a panel may want,
// the app's as PNG, ICO and ICNS. Run it after a source has changed; what it makes is committed.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const folder = (relative) => fileURLToPath(new URL(`../assets/icons/${relative}`, import.meta.url));

/** Pixels. Linux panels scale; Windows takes 16 at 100 % to 32 at 200 %; macOS 16 and 32. */
const TRAY_SIZES = [16, 20, 22, 24, 32];
const APP_SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
/** Sizes of an ICO file; 256 is its largest. */
const ICO_SIZES = [16, 24, 32, 48, 64, 256];
/** Types of an ICNS file that hold a PNG. */
const ICNS_TYPES = { ic11: 32, ic12: 64, ic07: 128, ic08: 256, ic09: 512, ic10: 1024 };

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage();
  await mkdir(folder('tray'), { recursive: true });
  for (const file of await readdir(folder('source/tray'))) {
    const svg = await readFile(folder(`source/tray/${file}`), 'utf8');
    for (const size of TRAY_SIZES) {
      await writeFile(folder(`tray/${file.replace('.svg', '')}-${size}.png`), await draw(page, svg, size));
    }
  }
  await mkdir(folder('app'), { recursive: true });
  const app = await readFile(folder('source/app.svg'), 'utf8');
  const drawn = new Map();
  for (const size of APP_SIZES) {
    const png = await draw(page, app, size);
    drawn.set(size, png);
    await writeFile(folder(`app/${size}x${size}.png`), png);
  }
  await writeFile(folder('app/icon.ico'), ico(drawn));
  await writeFile(folder('app/icon.icns'), icns(drawn));
} finally {
  await browser.close();
}

async function draw(page, svg, size) {
  await page.setViewportSize({ width: size, height: size });
  const image = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  await page.setContent(
    `<style>*{margin:0}img{display:block}</style><img src="${image}" width="${size}" height="${size}">`,
  );
  await page.waitForFunction('document.images[0].complete');
  return page.screenshot({ omitBackground: true });
}

/** A directory of PNG images: six bytes of head, sixteen for each image, then the images. */
function ico(drawn) {
  const images = ICO_SIZES.map((size) => ({ size, png: drawn.get(size) }));
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  images.forEach(({ size, png }, index) => {
    const at = 6 + 16 * index;
    // A byte has no 256: zero stands for it.
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  });
  return Buffer.concat([head, ...images.map(({ png }) => png)]);
}

/** A list of typed blocks, each with its length, inside one of type `icns`. */
function icns(drawn) {
  const block = (type, content) => {
    const head = Buffer.alloc(8);
    head.write(type, 0, 'latin1');
    head.writeUInt32BE(8 + content.length, 4);
    return Buffer.concat([head, content]);
  };
  return block('icns', Buffer.concat(Object.entries(ICNS_TYPES).map(([type, size]) => block(type, drawn.get(size)))));
}
