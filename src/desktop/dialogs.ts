import { writeFile } from 'node:fs/promises';
import { dialog } from 'electron';
import { BUNDLE_FILENAME, bundleText } from '../host/bundle-text.js';
import type { Host } from '../host/index.js';
import type { Say } from './words/index.js';

/** Asks before a sign-out from the tray, where no window may be open. The safe answer comes first and is what closing means. */
export async function confirmSignOut(network: string, say: Say): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    title: say('app.name'),
    message: say('sign_out.question', { network }),
    detail: say('sign_out.detail'),
    buttons: [say('sign_out.keep'), say('sign_out.do')],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  return response === 1;
}

/** Says why the window did not close, where notifications are not shown either. */
export async function sayNoTray(say: Say): Promise<void> {
  await dialog.showMessageBox({
    type: 'info',
    title: say('app.name'),
    message: say('note.tray_none'),
    detail: say('note.tray_none.body'),
    buttons: [say('dialog.ok')],
  });
}

/** Asks where to keep the diagnostics bundle and writes it there, for its owner alone. */
export async function saveBundle(host: Host, say: Say): Promise<{ readonly saved: boolean }> {
  const bundle = await host.execute('bundle', {});
  const { canceled, filePath } = await dialog.showSaveDialog({
    title: say('bundle.save'),
    defaultPath: BUNDLE_FILENAME,
  });
  if (canceled || filePath === '') return { saved: false };
  await writeFile(filePath, bundleText(bundle), { mode: 0o600 });
  return { saved: true };
}
