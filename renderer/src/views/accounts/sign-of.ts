import type { Standing } from '../../../../src/bridge/standing.js';
import type { SignName, Tone } from '../../components/Sign.js';

/** The sign of each standing (design: status language). */
export const SIGN_OF: Readonly<Record<Standing['kind'], { readonly sign: SignName; readonly tone: Tone }>> = {
  receiving: { sign: 'ok', tone: 'ok' },
  holding: { sign: 'hold', tone: 'busy' },
  paused: { sign: 'paused', tone: 'idle' },
  flawed: { sign: 'wait', tone: 'attention' },
  connecting: { sign: 'busy', tone: 'busy' },
  retrying: { sign: 'wait', tone: 'attention' },
  no_network: { sign: 'offline', tone: 'idle' },
  needs_you: { sign: 'attention', tone: 'attention' },
  refused: { sign: 'danger', tone: 'danger' },
  locked: { sign: 'locked', tone: 'attention' },
};
