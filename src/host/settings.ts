import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { errorCode } from '../base/error-code.js';
import { Serial } from '../base/serial.js';
import { OnboardingStep } from '../bridge/index.js';
import { isHostEntry } from '../server/index.js';
import { writeFileAtomically } from '../store/atomic-file.js';
import { prepareDataDir } from '../store/data-dir.js';
import { setAside } from '../store/set-aside.js';
import { toStoreError } from '../store/sqlite-errors.js';

/** What a person chose in the window, kept in the data directory; it goes before the configuration file. */
export const SETTINGS_FILE = 'settings.json';

/** Further `Host` names a person may allow, as in `server.allowedHosts`. */
const MAX_HOSTS = 64;
const MAX_HOST_CHARACTERS = 253;

export const Settings = Type.Object(
  {
    /** Before `server.port`; a port of one's own choice, so never 0. */
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    /** Instead of `server.allowedHosts`. */
    allowedHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_HOST_CHARACTERS }), { maxItems: MAX_HOSTS }),
    ),
    /** Before `secrets.store`. */
    secretStore: Type.Optional(Type.Enum(['keychain', 'file'])),
    /** Where the first start stands; nothing of the configuration. */
    onboarding: Type.Optional(OnboardingStep),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof Settings>;

export interface FoundSettings {
  readonly settings: Settings;
  /** Why what lies there is not believed; the settings are then empty. */
  readonly damaged: 'unreadable' | 'not_json' | 'wrong_shape' | undefined;
}

/** The settings of a data directory; empty ones when it has none, or when they are damaged. Changes nothing, never throws. */
export function readSettings(dataDir: string): FoundSettings {
  let text: string;
  try {
    text = readFileSync(join(dataDir, SETTINGS_FILE), 'utf8');
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
    return { settings: {}, damaged: isMissing ? undefined : 'unreadable' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { settings: {}, damaged: 'not_json' };
  }
  if (Value.Check(Settings, value) && (value.allowedHosts ?? []).every(isHostEntry)) {
    return { settings: value, damaged: undefined };
  }
  return { settings: {}, damaged: 'wrong_shape' };
}

/** One change after the other, whoever in this process makes them: each reads the file before it writes. */
const turns = new Serial();

/**
 * Keeps a change of the settings; what it does not name stays. The host that runs on the data directory is not told.
 * @throws StoreError when the disk refuses; the settings are then as before
 */
export function writeSettings(dataDir: string, change: Settings): Promise<Settings> {
  return turns.run(async () => {
    const { settings, damaged } = readSettings(dataDir);
    const changed: Settings = { ...settings, ...change };
    try {
      prepareDataDir(dataDir);
      if (damaged !== undefined) await setSettingsAside(dataDir, Date.now());
      await writeFileAtomically(join(dataDir, SETTINGS_FILE), `${JSON.stringify(changed, null, 2)}\n`);
    } catch (error) {
      throw toStoreError(error);
    }
    return changed;
  });
}

/**
 * Moves damaged settings to `settings.json.damaged-<UTC time>`, so that a person can still look into them.
 * @param now Unix ms
 * @returns their new name
 */
export async function setSettingsAside(dataDir: string, now: number): Promise<string> {
  return basename(setAside(join(dataDir, SETTINGS_FILE), now));
}
