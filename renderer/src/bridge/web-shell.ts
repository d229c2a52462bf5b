import type {
  Language,
  Preferences,
  ShellCommandName,
  ShellFacts,
  ShellParamsOf,
  ShellResults,
} from '../../../src/bridge/index.js';
import { BUNDLE_PATH, DEFAULT_PREFERENCES } from '../../../src/bridge/index.js';
import { CommandRefused } from './client.js';
import { urlOf } from './url-of.js';

const STORAGE_KEY = 'xagent-connector.preferences';

/** The page as its own shell: what a browser can do of it, and the person's choices in the browser's own storage. */
export class WebShell {
  readonly #changed: () => void;
  #facts: ShellFacts;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#facts = {
      kind: 'browser',
      platform: 'other',
      systemLanguage: preferredLanguage(navigator.languages),
      preferences: stored(),
      tray: 'none',
      online: navigator.onLine,
      autostart: { supported: false, enabled: false, problem: undefined },
      update: { status: 'off' },
    };
    for (const type of ['online', 'offline']) {
      window.addEventListener(type, () => this.#set({ online: navigator.onLine }));
    }
  }

  get facts(): ShellFacts {
    return this.#facts;
  }

  /** @throws CommandRefused */
  async run<C extends ShellCommandName>(command: C, params: ShellParamsOf<C>): Promise<ShellResults[ShellCommandName]> {
    const { text, url } = params as { readonly text?: string; readonly url?: string };
    switch (command) {
      case 'set-preferences': {
        const preferences = { ...this.#facts.preferences, ...(params as Partial<Preferences>) };
        this.#set({ preferences });
        keep(preferences);
        return {};
      }
      case 'copy-text':
        await copy(text ?? '');
        return {};
      case 'open-link':
        if (!isHttps(url)) throw new CommandRefused('link_refused', 'only https links are opened');
        window.open(url, '_blank', 'noopener,noreferrer');
        return {};
      case 'save-bundle':
        download(BUNDLE_PATH);
        return { saved: true };
      default:
        throw new CommandRefused('desktop_only', 'only the desktop app can do this');
    }
  }

  #set(facts: Partial<ShellFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#changed();
  }
}

/** The first of the person's languages that we have. */
function preferredLanguage(languages: readonly string[]): Language {
  for (const language of languages) {
    if (/^zh\b/i.test(language)) return 'zh';
    if (/^en\b/i.test(language)) return 'en';
  }
  return 'en';
}

/** What was kept, as far as it still means something. */
function stored(): Preferences {
  const base = DEFAULT_PREFERENCES;
  try {
    const kept = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<Preferences>;
    const { language = base.language, theme = base.theme, showMessageText = base.showMessageText } = kept;
    return { ...base, language, theme, showMessageText };
  } catch {
    return base; // Storage is switched off, or holds something else: the choices last as long as the page.
  }
}

function keep(preferences: Preferences): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(preferences));
  } catch {
    // As above: nothing else depends on it.
  }
}

/** @throws CommandRefused where the browser does not let the page copy, as on plain http under another name than localhost */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new CommandRefused('copy_refused', 'the browser does not let this page copy');
  }
}

function isHttps(url: string | undefined): boolean {
  return url !== undefined && urlOf(url)?.protocol === 'https:';
}

function download(path: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
}
