import type { ReactNode } from 'react';
import { Diagnostics } from '../diagnostics/Diagnostics.js';
import type { ViewProps } from '../view-props.js';
import { SettingsPage } from './SettingsPage.js';

/** Settings, and beside them the diagnostics. */
export function Settings({ path: [page] }: ViewProps): ReactNode {
  return page === 'diagnostics' ? <Diagnostics /> : <SettingsPage />;
}
