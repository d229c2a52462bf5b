import type { ReactNode } from 'react';
import type { AutostartFacts } from '../../../../src/bridge/index.js';
import { useShellCommand, useShellFacts } from '../../bridge/index.js';
import { SwitchRow } from '../../components/SwitchRow.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords, type Words } from '../../words/index.js';

/** Whether the program starts when the person logs in. */
export function AutostartRow({ autostart }: { readonly autostart: AutostartFacts }): ReactNode {
  const words = useWords();
  const { tray } = useShellFacts();
  const { run, busy } = useShellCommand('set-autostart');
  const tellRefusal = useTellRefusal();

  async function change(enabled: boolean): Promise<void> {
    if (busy) return;
    tellRefusal(await run({ enabled }));
  }

  return (
    <SwitchRow
      label={words.t('settings.general.autostart')}
      help={helpOf(autostart, tray, words)}
      on={autostart.enabled}
      disabled={!autostart.supported}
      onSwitch={(on) => void change(on)}
    />
  );
}

function helpOf({ supported, problem }: AutostartFacts, tray: 'shown' | 'none', { t, code }: Words): string {
  if (!supported) return t('settings.general.autostart_none');
  if (problem !== undefined) return code('settings.general.autostart_problem', problem);
  return tray === 'shown' ? t('settings.general.autostart_help') : t('settings.general.autostart_no_tray');
}
