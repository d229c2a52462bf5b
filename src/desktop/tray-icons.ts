import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeImage, NativeTheme } from 'electron';
import type { OverallState } from '../bridge/index.js';

type Ground = 'template' | 'on-dark' | 'on-light';

/** Sizes in which each icon lies in assets/icons/tray, pixels; the first is the size at a scale of one where the system scales by itself. */
const WINDOWS_SIZES = [16, 20, 24, 32] as const;
/** Linux panels scale what they get to what they need: one that is large enough for all of them. */
const LINUX_SIZE = 32;

/** Desktops whose panel is dark whatever the theme of their programs. */
const DARK_PANELS = /\b(GNOME|Unity|Cinnamon|Budgie)\b/i;

/** Which of the three drawings a panel needs, by the panel's own ground and not the window's theme. */
export function trayGround(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  theme: Pick<NativeTheme, 'shouldUseDarkColors'>,
): Ground {
  if (platform === 'darwin') return 'template';
  if (platform === 'linux' && DARK_PANELS.test(env['XDG_CURRENT_DESKTOP'] ?? '')) return 'on-dark';
  return theme.shouldUseDarkColors ? 'on-dark' : 'on-light';
}

/** @param folder of the tray's icons */
export function trayImage(
  images: { createEmpty(): NativeImage; createFromPath(path: string): NativeImage },
  folder: string,
  ground: Ground,
  state: OverallState,
  platform: NodeJS.Platform,
): NativeImage {
  const file = (size: number): string => join(folder, `${ground}-${state}-${size}.png`);
  if (platform === 'linux') return images.createFromPath(file(LINUX_SIZE));
  const image = images.createEmpty();
  const [base] = WINDOWS_SIZES;
  for (const size of platform === 'darwin' ? [base, 2 * base] : WINDOWS_SIZES) {
    image.addRepresentation({ scaleFactor: size / base, buffer: readFileSync(file(size)), width: size, height: size });
  }
  if (ground === 'template') image.setTemplateImage(true);
  return image;
}
