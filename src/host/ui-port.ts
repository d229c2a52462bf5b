import type { Logger } from '../base/logger.js';
import type { UiPort } from '../server/index.js';
import { HttpRefusal } from '../server/index.js';
import type { LocalChat } from '../targets/local/index.js';
import { createAnswer } from './answer.js';
import { BUNDLE_FILENAME, bundleText } from './bundle-text.js';
import { CommandError } from './command-error.js';
import type { Execute } from './commands.js';

/** The host as the window in a browser sees it. The parts are asked for late: the server is there before they are. */
export function createUiPort(parts: {
  readonly execute: () => Execute;
  readonly snapshot: () => unknown;
  readonly onChange: (fn: () => void) => () => void;
  readonly chat: LocalChat | undefined;
  readonly log: Logger;
}): UiPort {
  const answer = createAnswer((command, params) => parts.execute()(command, params), parts.log);
  return {
    answer,
    snapshot: parts.snapshot,
    onChange: parts.onChange,
    chat: parts.chat,
    async bundle() {
      try {
        const text = bundleText(await parts.execute()('bundle', {}));
        return { filename: BUNDLE_FILENAME, mimeType: 'text/plain; charset=utf-8', content: Buffer.from(text) };
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        throw new HttpRefusal({ status: 503, code: error.code, message: error.message });
      }
    },
  };
}
