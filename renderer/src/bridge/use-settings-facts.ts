import type { SettingsFacts } from '../../../src/bridge/index.js';
import { useSnapshot } from './hooks.js';
import { type Read, useRead } from './use-read.js';

/** The settings of the host and what it keeps on the disk; asked anew when the host or its port is another one. */
export function useSettingsFacts(): Read<SettingsFacts> {
  const snapshot = useSnapshot();
  return useRead(`${snapshot?.pid ?? ''}:${snapshot?.port ?? ''}`, (bridge) => bridge.call('settings', {}));
}
