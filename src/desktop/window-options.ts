import type { BrowserWindowConstructorOptions, NativeImage, Rectangle } from 'electron';

/** Size of the first window, in points (design: side bar 208, content up to 896, five accounts without scrolling). */
export const FIRST_SIZE = { width: 960, height: 680 } as const;
/** Below this the narrow layout breaks. */
export const LEAST_SIZE = { width: 360, height: 480 } as const;

/** The page's ground before the page is there, so that nothing flashes. The values are the design's `canvas`. */
const CANVAS = { light: '#fbfbf9', dark: '#1b1c1e' } as const;

export interface WindowLooks {
  readonly preload: string;
  readonly title: string;
  readonly icon: NativeImage | undefined;
  readonly dark: boolean;
  /** Where it was when it was last closed; undefined lets the system choose. */
  readonly bounds: Partial<Rectangle> | undefined;
  /** Only in a developer's run. */
  readonly devTools: boolean;
}

/** How every window of this program is made: a page in it has no more rights than a page of the web, and fewer. */
export function windowOptions(looks: WindowLooks): BrowserWindowConstructorOptions {
  return {
    ...FIRST_SIZE,
    ...looks.bounds,
    minWidth: LEAST_SIZE.width,
    minHeight: LEAST_SIZE.height,
    title: looks.title,
    ...(looks.icon === undefined ? {} : { icon: looks.icon }),
    show: false,
    backgroundColor: looks.dark ? CANVAS.dark : CANVAS.light,
    autoHideMenuBar: true,
    webPreferences: {
      preload: looks.preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      // It would fetch dictionaries from the network.
      spellcheck: false,
      devTools: looks.devTools,
    },
  };
}
